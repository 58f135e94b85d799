import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { LegalHold } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button, Field, TextArea } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { timeOf, utc } from '../../parts/format.ts';
import { Badge, Section } from '../../parts/states.tsx';

interface LegalHoldsProps {
  readonly holds: readonly LegalHold[];
  readonly mayWrite: boolean;
}

/** The holds that stand. Owners place and release their own. */
export function LegalHolds({ holds, mayWrite }: LegalHoldsProps) {
  const [open, setOpen] = useState<'place' | 'release'>();
  const own = holds.find(({ side }) => side === 'owner');
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Legal holds"
      aside={
        mayWrite && (
          <Button onClick={() => setOpen('place')}>
            {own === undefined ? 'Place a legal hold' : 'Change the reason'}
          </Button>
        )
      }
    >
      <p className="max-w-prose text-sm text-muted">
        {holds.length === 0
          ? 'None. A hold stops the deletion of calls, recordings, archived contents and the audit log. '
          : 'Nothing is deleted while a hold stands, neither by age nor by members. '}
        <a href="/docs/guides/retention#legal-holds" className="text-accent underline">
          What a hold covers
        </a>
      </p>
      {holds.length > 0 && (
        <ul aria-label="Legal holds" className="flex flex-col">
          {holds.map(({ side, reason, placed_at: at }) => (
            <li
              key={side}
              className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 text-sm"
            >
              <Badge tone="refused">{side === 'owner' ? 'of the owners' : 'of the operator'}</Badge>
              <bdi className="min-w-0 grow wrap-anywhere">{reason}</bdi>
              <span className="ml-auto flex items-center gap-3">
                <span className="text-xs text-muted" title={utc(at)}>
                  since {timeOf(at)}
                </span>
                {side === 'owner' && mayWrite && (
                  <Button look="quiet" onClick={() => setOpen('release')}>
                    Release
                  </Button>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {open === 'place' && <PlaceHold reason={own?.reason} onClose={close} />}
      {open === 'release' && <ReleaseHold onClose={close} />}
    </Section>
  );
}

function PlaceHold({
  reason: stored,
  onClose,
}: {
  readonly reason: string | undefined;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState(stored ?? '');
  const changed = useHoldsChanged(onClose);
  const placing = useMutation({
    mutationFn: () => told(api.PUT('/v1/organization/holds', { body: { reason: reason.trim() } })),
    onSuccess: changed,
  });
  return (
    <FormDialog
      title={stored === undefined ? 'Place a legal hold' : 'Change the reason of the legal hold'}
      lead="From now on, nothing of the account is deleted by age, and members can delete neither its contents nor the account."
      action={stored === undefined ? 'Place' : 'Save'}
      isIncomplete={reason.trim() === ''}
      saving={placing}
      onClose={onClose}
    >
      <Field label="Reason" hint="Members read it where a deletion is refused.">
        {(field) => (
          <TextArea
            {...field}
            required
            maxLength={reasonCharactersMax}
            rows={3}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** As the gateway accepts it. */
const reasonCharactersMax = 1000;

function ReleaseHold({ onClose }: { readonly onClose: () => void }) {
  const changed = useHoldsChanged(onClose);
  const releasing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization/holds')),
    onSuccess: changed,
  });
  return (
    <ConfirmDialog
      title="Release the legal hold?"
      lead="What is older than its retention is deleted within an hour, unless the operator has placed a hold, too."
      keep="Keep the hold"
      action="Release"
      mutation={releasing}
      onClose={onClose}
    />
  );
}

function useHoldsChanged(onClose: () => void): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['legal-holds'] });
    onClose();
  };
}
