import {
  Activity,
  Archive,
  Bell,
  Blocks,
  Braces,
  ChartColumn,
  Cpu,
  CreditCard,
  Disc,
  FileCheck,
  FileText,
  Folder,
  FolderSync,
  HeartPulse,
  Hourglass,
  KeyRound,
  Layers,
  LayoutDashboard,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Plug,
  ScrollText,
  Settings,
  ShieldCheck,
  Split,
  Table2,
  UserRound,
  UsersRound,
  Wallet,
  Wrench,
} from 'lucide-react';

import type { Capabilities } from '../api/queries.ts';

export interface NavigationItem {
  readonly to: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** What is pressed after `g`. */
  readonly letter?: string;
  /** Whether there is a gap above it in the sidebar. */
  readonly startsGroup?: true;
  /** Whether it is one of the settings, which share an item of the sidebar. */
  readonly isSetting?: true;
  /** Whether there is a page for each of its items. */
  readonly hasPages?: true;
  /** The right without which it has nothing to show; undefined if everybody can use it. */
  readonly needs?: `${string}:read`;
  /** The modes that have it; both unless said. */
  readonly only?: 'cloud' | 'local';
}

const all: readonly NavigationItem[] = [
  { to: '/', needs: 'calls:read', title: 'Overview', icon: LayoutDashboard, letter: 'o' },
  { to: '/requests', needs: 'calls:read', title: 'Requests', icon: Activity, letter: 'r' },
  { to: '/sessions', needs: 'calls:read', title: 'Sessions', icon: ListTree, letter: 'n', hasPages: true },
  { to: '/playground', title: 'Playground', icon: MessagesSquare, letter: 'p', startsGroup: true },
  { to: '/modules', needs: 'settings:read', title: 'Modules', icon: Blocks, letter: 'm' },
  { to: '/models', needs: 'calls:read', title: 'Models', icon: Cpu, letter: 'd' },
  { to: '/aliases', needs: 'settings:read', title: 'Aliases', icon: Split, letter: 's' },
  { to: '/prompts', needs: 'settings:read', title: 'Prompts', icon: FileText, letter: 'x' },
  { to: '/guardrails', needs: 'settings:read', title: 'Guardrails', icon: ShieldCheck, letter: 'u' },
  { to: '/mcp-servers', needs: 'settings:read', title: 'MCP servers', icon: Wrench },
  { to: '/batches', needs: 'calls:read', title: 'Batches', icon: Layers, letter: 'y' },
  { to: '/recordings', needs: 'content:read', title: 'Recordings', icon: Disc, letter: 'e' },
  { to: '/archive', needs: 'content:read', title: 'Archive', icon: Archive, letter: 'h' },
  { to: '/usage', needs: 'usage:read', title: 'Usage', icon: ChartColumn, letter: 'w', startsGroup: true },
  { to: '/budgets', needs: 'usage:read', title: 'Budgets', icon: Wallet, letter: 'j', only: 'cloud' },
  { to: '/alerts', needs: 'settings:read', title: 'Alerts', icon: Bell, letter: 'l' },
  { to: '/keys', needs: 'keys:read', title: 'Keys', icon: KeyRound, letter: 'k', only: 'cloud' },
  { to: '/provider-keys', needs: 'provider-keys:read', title: 'Provider keys', icon: Plug, letter: 'v' },
  { to: '/receipts', needs: 'calls:read', title: 'Receipts', icon: FileCheck, letter: 'c', only: 'cloud' },
  { to: '/account', title: 'Account', icon: UserRound, letter: 'a', only: 'cloud', isSetting: true },
  {
    to: '/organization',
    title: 'Organization',
    icon: UsersRound,
    letter: 'z',
    only: 'cloud',
    isSetting: true,
  },
  { to: '/projects', title: 'Projects', icon: Folder, only: 'cloud', isSetting: true },
  {
    to: '/billing',
    needs: 'billing:read',
    title: 'Billing',
    icon: CreditCard,
    letter: 'b',
    only: 'cloud',
    isSetting: true,
  },
  { to: '/audit', needs: 'audit:read', title: 'Audit log', icon: ScrollText, letter: 'q', isSetting: true },
  { to: '/retention', title: 'Retention', icon: Hourglass, only: 'cloud', isSetting: true },
  { to: '/moving', needs: 'data:read', title: 'Move', icon: FolderSync, letter: 'f', isSetting: true },
  { to: '/reference', title: 'API', icon: Braces, letter: 'i' },
  { to: '/operator', title: 'Status', icon: HeartPulse, letter: 't', only: 'local' },
];

/** Whether an address is the place, or a page below it. */
export function isAt({ to, hasPages }: NavigationItem, pathname: string): boolean {
  return pathname === to || (hasPages === true && pathname.startsWith(`${to}/`));
}

/** Pages of modules come last. */
export function placesIn({ mode, modules }: Capabilities): readonly NavigationItem[] {
  const own = modules.flatMap(({ name, page }) =>
    page === null
      ? []
      : [{ to: `/modules/${name}`, needs: 'content:read' as const, title: page.title, icon: Table2 }],
  );
  return [...all.filter(({ only }) => only === undefined || only === mode), ...own];
}

/** Where people begin who can't use the overview. */
export function homeOf(usable: readonly NavigationItem[]): string {
  return usable.find(({ needs }) => needs !== undefined)?.to ?? '/projects';
}

/** The sidebar has one item for all settings, which opens the first. */
export function sidebarItems(places: readonly NavigationItem[]): readonly NavigationItem[] {
  const first = places.find(({ isSetting }) => isSetting);
  return places.flatMap((place) => {
    if (place === first) return [{ ...place, title: 'Settings', icon: Settings }];
    return place.isSetting === true ? [] : [place];
  });
}

/** Those that have a place in the bar of a phone. */
export const atHand = 4;
