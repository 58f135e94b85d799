import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Choice, Field, Input } from '../../parts/controls.tsx';
import { bytes } from '../../parts/format.ts';
import { Failure, Gauge, Section } from '../../parts/states.tsx';
import { ImportReport } from './import-report.tsx';
import { PassphraseField } from './passphrase-field.tsx';
import { type Upload, upload } from './upload.ts';

/** Checks a file, says what it would do, and imports it. */
export function ImportAccount() {
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState('');
  const [onConflict, setOnConflict] = useState<Upload['onConflict']>('keep');
  const [sent, setSent] = useState(0);
  const client = useQueryClient();
  const importing = useMutation({
    mutationFn: (isDryRun: boolean) => {
      if (file === undefined) throw new Error('Choose a file.');
      setSent(0);
      return upload({ file, passphrase, onConflict, isDryRun }, setSent);
    },
    // All pages may show something that came with the file.
    onSuccess: ({ dry_run: isDryRun }) => (isDryRun ? undefined : client.invalidateQueries()),
  });
  const { data: report, isPending, error, reset } = importing;
  /** A report is about one choice. */
  const changing = <Value,>(change: (value: Value) => void) => {
    return (value: Value) => {
      change(value);
      reset();
    };
  };
  return (
    <Section title="Import">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          importing.mutate(report?.dry_run !== true);
        }}
      >
        <Field label="File" hint="Written by another instance. It is imported as a whole or not at all.">
          {(field) => (
            <Input
              {...field}
              type="file"
              required
              onChange={({ target }) => changing(setFile)(target.files?.[0])}
            />
          )}
        </Field>
        <PassphraseField
          hint="The one of the export, if the file has provider keys"
          isNew={false}
          value={passphrase}
          onChange={changing(setPassphrase)}
        />
        <Choice
          label="Where the account has something else"
          value={onConflict}
          options={[
            ['keep', 'Keep what is here'],
            ['replace', 'Replace it'],
          ]}
          onChange={changing(setOnConflict)}
        />
        {isPending && file !== undefined && (
          <Gauge
            label={sent < file.size ? 'Uploading' : 'Uploaded; the gateway completes it'}
            value={sent}
            max={file.size}
            text={`${bytes(sent)} of ${bytes(file.size)}`}
          />
        )}
        {error !== null && <Failure error={error} />}
        {report !== undefined && <ImportReport report={report} />}
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            look={report?.dry_run === true ? 'primary' : 'plain'}
            disabled={file === undefined}
            busy={isPending}
          >
            {report?.dry_run === true ? 'Import' : 'Check the file'}
          </Button>
        </div>
      </form>
    </Section>
  );
}
