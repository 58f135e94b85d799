import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { IconButton } from './controls.tsx';

interface OrderedListProps {
  readonly label: string;
  /** Shown if there are no names. */
  readonly empty: string;
  /** Each once. */
  readonly names: readonly string[];
  /** What stands behind a name. */
  readonly aside?: (name: string) => ReactNode;
  readonly selected?: string | undefined;
  readonly onSelect?: (name: string) => void;
  /** Gets the positions that the names had before, in their new order and without the removed one. */
  readonly onChange: (order: readonly number[]) => void;
}

/** Dragged by mouse, or moved with alt and the arrow keys or the buttons. */
export function OrderedList(props: OrderedListProps) {
  const { label, empty, names, aside, selected, onSelect, onChange } = props;
  const [dragged, setDragged] = useState<number>();
  const [status, setStatus] = useState('');
  const positions = names.map((_, at) => at);
  const move = (from: number, to: number) => {
    if (to < 0 || to >= names.length || from === to) return;
    onChange(positions.toSpliced(from, 1).toSpliced(to, 0, from));
    setStatus(`${names[from]} is now ${to + 1} of ${names.length}`);
  };
  const over = (event: DragEvent, at: number) => {
    event.preventDefault();
    if (dragged === undefined || dragged === at) return;
    move(dragged, at);
    setDragged(at);
  };
  const pressed = (event: KeyboardEvent, at: number) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(at, event.key === 'ArrowUp' ? at - 1 : at + 1);
  };
  if (names.length === 0)
    return (
      <p className="rounded-md border border-dashed border-line px-3 py-4 text-center text-sm text-muted">
        {empty}
      </p>
    );
  return (
    <>
      <ol aria-label={label} className="flex flex-col gap-1">
        {names.map((name, at) => (
          <li
            key={name}
            draggable
            onDragStart={() => setDragged(at)}
            onDragOver={(event) => over(event, at)}
            onDragEnd={() => setDragged(undefined)}
            className={`flex h-9 items-center rounded-md border bg-surface pr-0.5 ${name === selected ? 'border-accent' : 'border-line'} ${dragged === at ? 'opacity-60' : ''}`}
          >
            <GripVertical aria-hidden className="size-4 shrink-0 cursor-grab text-muted" />
            {onSelect === undefined ? (
              <span title={name} className="min-w-0 grow truncate px-1 font-mono text-xs">
                {name}
              </span>
            ) : (
              <button
                type="button"
                aria-pressed={name === selected}
                onClick={() => onSelect(name)}
                onKeyDown={(event) => pressed(event, at)}
                className="h-full min-w-0 grow truncate px-1 text-left font-mono text-xs"
              >
                {name}
              </button>
            )}
            {aside?.(name)}
            <IconButton
              label={`Move ${name} up`}
              className="size-6!"
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            >
              <ArrowUp aria-hidden />
            </IconButton>
            <IconButton
              label={`Move ${name} down`}
              className="size-6!"
              disabled={at === names.length - 1}
              onClick={() => move(at, at + 1)}
            >
              <ArrowDown aria-hidden />
            </IconButton>
            <IconButton
              label={`Remove ${name}`}
              className="size-6!"
              onClick={() => onChange(positions.toSpliced(at, 1))}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      {names.length > 1 && (
        <p className="text-xs text-muted max-sm:hidden">
          {onSelect === undefined ? 'Drag, or use the arrows' : 'Drag, or Alt with ↑ and ↓'}
        </p>
      )}
      <p role="status" className="sr-only">
        {status}
      </p>
    </>
  );
}
