import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { Button } from '../../parts/controls.tsx';
import { Failure, Section } from '../../parts/states.tsx';
import { PassphraseField, passphraseHeader } from './passphrase-field.tsx';
import { fileSections } from './sections.ts';

const fileName = 'account.weir';

/** Writes a file of the sections that are chosen. */
export function ExportAccount() {
  const [names, setNames] = useState(fileSections.filter(({ isUsual }) => isUsual).map(({ name }) => name));
  const [hasKeys, setHasKeys] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const address = `/v1/export?sections=${names.join(',')}${hasKeys ? '&secrets=1' : ''}`;
  const exporting = useMutation({ mutationFn: () => download(address, passphrase) });
  return (
    <Section title="Export">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          // A link is written to disk as it arrives, but takes no header.
          if (hasKeys) exporting.mutate();
          else save(address);
        }}
      >
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">What moves</legend>
          {fileSections.map(({ name, title, content }) => (
            <Choosable
              key={name}
              title={title}
              about={content}
              isChosen={names.includes(name)}
              onChange={(isChosen) =>
                setNames(
                  fileSections
                    .map((one) => one.name)
                    .filter((one) => (one === name ? isChosen : names.includes(one))),
                )
              }
            />
          ))}
          <Choosable
            title="Provider keys"
            about="Encrypted with a passphrase"
            isChosen={hasKeys}
            onChange={setHasKeys}
          />
        </fieldset>
        {hasKeys && (
          <PassphraseField
            hint="12 characters or more. Nobody can read the keys without it."
            isNew
            value={passphrase}
            onChange={setPassphrase}
          />
        )}
        {exporting.error !== null && <Failure error={exporting.error} />}
        <Button
          type="submit"
          look="primary"
          className="self-start"
          disabled={names.length === 0 && !hasKeys}
          busy={exporting.isPending}
        >
          Export
        </Button>
      </form>
    </Section>
  );
}

interface ChoosableProps {
  readonly title: string;
  readonly about: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

function Choosable({ title, about, isChosen, onChange }: ChoosableProps) {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-accent"
        checked={isChosen}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        {title}
        <span className="block text-xs text-muted">{about}</span>
      </span>
    </label>
  );
}

async function download(address: string, passphrase: string): Promise<void> {
  const response = await fetch(address, { headers: { [passphraseHeader]: passphrase } });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined));
  const url = URL.createObjectURL(await response.blob());
  save(url);
  URL.revokeObjectURL(url);
}

function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
