import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { SignOnDomain } from '../../api/queries.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Badge, Failure } from '../../parts/states.tsx';
import { NamedCode } from './named-code.tsx';

interface DomainsProps {
  readonly domains: readonly SignOnDomain[];
  readonly mayWrite: boolean;
}

/** Domains with the records that prove them. */
export function SignOnDomains({ domains, mayWrite }: DomainsProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">Domains</h3>
      {domains.length === 0 && (
        <p className="text-sm text-muted">No domains yet: nobody can sign on without one.</p>
      )}
      <ul className="flex flex-col">
        {domains.map((claim) => (
          <Domain key={claim.domain} claim={claim} mayWrite={mayWrite} />
        ))}
      </ul>
      {mayWrite && (
        <Button className="self-start" onClick={() => setAdding(true)}>
          Add a domain
        </Button>
      )}
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </div>
  );
}

function Domain({ claim, mayWrite }: { readonly claim: SignOnDomain; readonly mayWrite: boolean }) {
  const { domain, proven_at: provenAt, record } = claim;
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: ['sign-on-domains'] });
  const path = { params: { path: { domain } } };
  const proving = useMutation({
    mutationFn: () =>
      told(api.POST('/v1/organization/sign-on/domains/{domain}/prove', { ...path, body: {} })),
    onSuccess: reload,
  });
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization/sign-on/domains/{domain}', path)),
    onSuccess: reload,
  });
  const error = proving.error ?? removing.error;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-2 text-sm">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3">
        <bdi className="min-w-0 grow truncate">{domain}</bdi>
        {provenAt === null ? <Badge>not proven</Badge> : <Badge tone="accent">proven</Badge>}
        {mayWrite && provenAt === null && (
          <Button busy={proving.isPending} aria-label={`Prove ${domain}`} onClick={() => proving.mutate()}>
            Prove
          </Button>
        )}
        {mayWrite && (
          <Button
            look="quiet"
            busy={removing.isPending}
            aria-label={`Remove ${domain}`}
            onClick={() => removing.mutate()}
          >
            Remove
          </Button>
        )}
      </div>
      {provenAt === null && (
        <>
          <NamedCode name={`Name of the TXT record of ${domain}`} text={record.name} />
          <NamedCode name={`Value of the TXT record of ${domain}`} text={record.value} />
        </>
      )}
      {error !== null && <Failure error={error} />}
    </li>
  );
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [domain, setDomain] = useState('');
  const adding = useMutation({
    mutationFn: () => told(api.POST('/v1/organization/sign-on/domains', { body: { domain: domain.trim() } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['sign-on-domains'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Add a domain"
      lead="A DNS record proves that it is yours."
      action="Add"
      isIncomplete={domain.trim() === ''}
      saving={adding}
      onClose={onClose}
    >
      <Field label="Domain" hint="The part of your mail addresses after the @.">
        {(field) => (
          <Input
            {...field}
            autoComplete="off"
            spellCheck={false}
            placeholder="example.com"
            value={domain}
            onChange={({ target }) => setDomain(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
