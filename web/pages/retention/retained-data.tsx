import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { logSettings, type RetainedKind, retention } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { bytes, count } from '../../parts/format.ts';
import { Failure, Section } from '../../parts/states.tsx';

interface RetainedDataProps {
  readonly kinds: readonly RetainedKind[];
  readonly mayWrite: boolean;
}

type Kind = RetainedKind['kind'];
type Choices = Readonly<Partial<Record<Kind, number | null>>>;

const titles = {
  requests: 'Calls of the log, with their recordings',
  recordings: 'Recordings',
  archive: 'Archived parts of conversations',
  patterns: 'Learned patterns, since they were confirmed last',
  audit: 'Audit log',
} as const satisfies Readonly<Record<Kind, string>>;

/** How many days each kind of data is kept. */
export function RetainedData({ kinds, mayWrite }: RetainedDataProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Readonly<Partial<Record<Kind, string>>>>({});
  const [isConfirming, setConfirming] = useState(false);
  const choices = choicesIn(kinds, typed);
  const shortened = kinds.filter((kind) => isShorter(kind, choices));
  const saving = useMutation({
    mutationFn: () => told(api.PUT('/v1/organization/retention', { body: choices })),
    onSuccess: async (saved) => {
      client.setQueryData(retention.queryKey, saved);
      setTyped({});
      await client.invalidateQueries({ queryKey: logSettings.queryKey });
    },
    onSettled: () => setConfirming(false),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (shortened.length === 0) saving.mutate();
    else setConfirming(true);
  };
  return (
    <Section title="How long data is kept">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-x-6 gap-y-4 md:grid-cols-2">
          {kinds.map((one) => (
            <KindField
              key={one.kind}
              kind={one}
              text={typed[one.kind] ?? textOf(one)}
              isFixed={!mayWrite}
              onChange={(text) => setTyped({ ...typed, [one.kind]: text })}
            />
          ))}
        </div>
        {saving.error !== null && <Failure error={saving.error} />}
        {saving.isSuccess && Object.keys(choices).length === 0 && (
          <p role="status" className="text-sm text-saved">
            Saved. Older data is deleted within an hour.
          </p>
        )}
        {mayWrite && (
          <Button
            type="submit"
            className="self-start"
            disabled={Object.keys(choices).length === 0}
            busy={saving.isPending}
          >
            Save
          </Button>
        )}
      </form>
      {isConfirming && (
        <ConfirmDialog
          title="Keep data for a shorter time?"
          lead={`${shortened.map((one) => `${titles[one.kind]}: ${daysText(choices[one.kind] ?? one.max_days)}.`).join(' ')} Older data is deleted within an hour, and nobody can bring it back.`}
          keep="Keep it longer"
          action="Delete older data"
          mutation={saving}
          onClose={() => setConfirming(false)}
        />
      )}
    </Section>
  );
}

interface KindFieldProps {
  readonly kind: RetainedKind;
  readonly text: string;
  readonly isFixed: boolean;
  readonly onChange: (text: string) => void;
}

function KindField({ kind: shown, text, isFixed, onChange }: KindFieldProps) {
  const { kind, min_days: least, max_days: most } = shown;
  const isNeverStored = most !== null && most < least;
  return (
    <Field label={titles[kind]} hint={isNeverStored ? 'This gateway stores none.' : hintOf(shown)}>
      {(field) => (
        <div className="flex items-center gap-2">
          <Input
            {...field}
            type="number"
            className="max-w-28"
            min={least}
            max={most ?? undefined}
            step={1}
            disabled={isFixed || isNeverStored}
            placeholder={most === null ? '∞' : String(most)}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
          <span className="text-sm text-muted">days</span>
        </div>
      )}
    </Field>
  );
}

function hintOf({ min_days: least, max_days: most, items, is_more: isMore, bytes: size }: RetainedKind) {
  const bounds = most === null ? `${least} or more` : least === most ? `${least}` : `${least} to ${most}`;
  const stored = `${isMore ? 'more than ' : ''}${count(items)} stored${size === null ? '' : `, ${bytes(size)}`}`;
  return `${bounds} days; empty for ${daysText(most)}. Now ${stored}.`;
}

function daysText(days: number | null): string {
  if (days === null) return 'ever';
  return days === 1 ? '1 day' : `${count(days)} days`;
}

function textOf({ own_days: days }: RetainedKind): string {
  return days === null ? '' : String(days);
}

/** What differs from what is stored. */
function choicesIn(kinds: readonly RetainedKind[], typed: Readonly<Partial<Record<Kind, string>>>): Choices {
  return Object.fromEntries(
    kinds.flatMap((one) => {
      const text = typed[one.kind]?.trim();
      if (text === undefined || text === textOf(one)) return [];
      return [[one.kind, text === '' ? null : Number(text)]];
    }),
  );
}

function isShorter({ kind, days, max_days: most }: RetainedKind, choices: Choices): boolean {
  const chosen = choices[kind];
  if (chosen === undefined) return false;
  return (chosen ?? most ?? Number.POSITIVE_INFINITY) < (days ?? Number.POSITIVE_INFINITY);
}
