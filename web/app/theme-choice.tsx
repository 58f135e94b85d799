import { Monitor, Moon, Sun } from 'lucide-react';
import { Choice, IconButton } from '../parts/controls.tsx';
import { setTheme, type Theme, useTheme } from '../parts/theme.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const pictures = { system: Monitor, light: Sun, dark: Moon } as const;

export function ThemeChoice({ small = false }: { readonly small?: boolean }) {
  const theme = useTheme();
  if (!small)
    return (
      <Choice
        label="Theme"
        value={theme}
        options={[
          ['system', 'System'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={setTheme}
      />
    );
  const Picture = pictures[theme];
  return (
    <IconButton label={`Theme: ${theme}`} onClick={() => setTheme(next[theme])}>
      <Picture aria-hidden />
    </IconButton>
  );
}
