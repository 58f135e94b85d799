import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type ColumnName, columnNames, columnOf, defaultColumns } from './columns.tsx';

interface ColumnChoiceProps {
  readonly chosen: readonly ColumnName[];
  /** Those that this gateway can fill. */
  readonly hasKeys: boolean;
  readonly onChange: (chosen: readonly ColumnName[]) => void;
}

export function ColumnChoice({ chosen, hasKeys, onChange }: ColumnChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  const offered = columnNames.filter((name) => hasKeys || name !== 'key');
  return (
    <>
      <Button className="max-md:hidden" onClick={() => setOpen(true)}>
        <Columns3 aria-hidden className="size-3.5" />
        Columns
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Columns"
        lead="Kept in this browser. Columns for which there is no room are left out."
      >
        <ul className="grid grid-cols-2 gap-x-4 gap-y-2">
          {offered.map((name) => (
            <li key={name}>
              <label className="flex items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={chosen.includes(name)}
                  onChange={({ target }) =>
                    onChange(
                      columnNames.filter((one) => (one === name ? target.checked : chosen.includes(one))),
                    )
                  }
                />
                {columnOf(name).title}
              </label>
            </li>
          ))}
        </ul>
        <Button className="self-end" onClick={() => onChange(defaultColumns)}>
          Restore the defaults
        </Button>
      </Dialog>
    </>
  );
}
