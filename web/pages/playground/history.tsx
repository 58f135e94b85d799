import { useState } from 'react';
import { textOf } from '../../parts/chat/chat.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { timeOf } from '../../parts/format.ts';
import { clearHistory, readHistory } from '../../parts/playground-history.ts';
import { type Draft, readDraft } from './draft.ts';

interface HistoryProps {
  readonly onOpen: (draft: Draft) => void;
  readonly onClose: () => void;
}

/** What was run here before, to go back to. */
export function History({ onOpen, onClose }: HistoryProps) {
  const [entries, setEntries] = useState(readHistory);
  const drafts = entries.flatMap(({ at, draft: stored }) => {
    const draft = readDraft(stored);
    return draft === undefined ? [] : [{ at, draft }];
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="History"
      lead="The last 30 runs, without images, kept in this browser until you clear them or log out."
    >
      {drafts.length === 0 ? (
        <p className="text-sm text-muted">Nothing was run here yet.</p>
      ) : (
        <>
          <ul className="flex flex-col divide-y divide-line">
            {drafts.map(({ at, draft }) => (
              <li key={at}>
                <button
                  type="button"
                  className="flex w-full min-w-0 flex-col gap-0.5 py-2 text-left hover:bg-sunken"
                  onClick={() => onOpen(draft)}
                >
                  <span dir="auto" className="w-full truncate text-sm">
                    {textOf(draft.turns.findLast(({ role }) => role === 'user')?.content ?? []) || 'No text'}
                  </span>
                  <span className="w-full truncate text-xs text-muted">
                    {timeOf(at)} · <bdi>{draft.targets.map(({ model }) => model).join(', ')}</bdi>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Button
            className="self-end"
            onClick={() => {
              clearHistory();
              setEntries([]);
            }}
          >
            Clear the history
          </Button>
        </>
      )}
    </Dialog>
  );
}
