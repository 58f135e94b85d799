import { useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  ClipboardCopy,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Sparkles,
  Sun,
} from 'lucide-react';
import type { Capabilities } from '../api/queries.ts';
import { copyText } from '../parts/controls.tsx';
import { useRights } from '../parts/rights.tsx';
import { setTheme } from '../parts/theme.ts';
import { useLogOut } from './session.ts';

export interface Action {
  readonly title: string;
  readonly icon: LucideIcon;
  act(): void;
}

/** What can be done from any page. */
export function useActions(about: Capabilities | undefined): readonly Action[] {
  const navigate = useNavigate();
  const may = useRights();
  const leaving = useLogOut();
  const open = (path: string) => () => location.assign(path);
  return [
    ...(about?.mode === 'cloud' && may('keys:write')
      ? [
          {
            title: 'Create an API key',
            icon: Plus,
            act: () => void navigate({ to: '/keys', search: { open: 'new' } }),
          },
        ]
      : []),
    {
      title: 'Copy the base address for clients',
      icon: ClipboardCopy,
      act: () => void copyText(location.origin),
    },
    { title: 'Open the documentation', icon: BookOpen, act: open('/docs/') },
    { title: 'Show what’s new', icon: Sparkles, act: open('/docs/project/changelog') },
    { title: 'Use the light theme', icon: Sun, act: () => setTheme('light') },
    { title: 'Use the dark theme', icon: Moon, act: () => setTheme('dark') },
    { title: 'Use the theme of the system', icon: Monitor, act: () => setTheme('system') },
    ...(about?.mode === 'cloud' ? [{ title: 'Log out', icon: LogOut, act: () => leaving.mutate() }] : []),
  ];
}
