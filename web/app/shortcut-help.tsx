import { commandKey, Key } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { NavigationItem } from './places.ts';

interface ShortcutHelpProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly places: readonly NavigationItem[];
}

const everywhere: readonly (readonly [readonly string[], string])[] = [
  [[commandKey, 'K'], 'Find a page, a model, a key or a request'],
  [['/'], 'Search in the list'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['esc'], 'Close'],
  [['?'], 'This list'],
];

export function ShortcutHelp({ open, onClose, places }: ShortcutHelpProps) {
  const all = [
    ...everywhere,
    ...places.flatMap(({ letter, title }) =>
      letter === undefined ? [] : [[['g', letter], `Go to ${title}`] as const],
    ),
  ];
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[5rem_1fr] items-center gap-y-1.5 text-sm">
        {all.map(([pressed, what]) => (
          <div key={what} className="contents">
            <dt className="flex gap-1">
              {pressed.map((key) => (
                <Key key={key}>{key}</Key>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
