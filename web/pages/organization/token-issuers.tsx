import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { keys, type TokenIssuer, tokenIssuers } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/controls.tsx';
import { Loaded, Rows, Section } from '../../parts/states.tsx';
import { EditTokenIssuer } from './edit-token-issuer.tsx';

/** The issuers whose tokens stand for API keys. */
export function TokenIssuers({ rights }: { readonly rights: readonly string[] }) {
  const list = useQuery(tokenIssuers);
  const named = useQuery(keys);
  const [edited, setEdited] = useState<TokenIssuer | 'new'>();
  const [removed, setRemoved] = useState<TokenIssuer>();
  const mayWrite = rights.includes('sign-on:write');
  const keyNames = new Map(named.data?.keys.map(({ id, name, prefix }) => [id, name === '' ? prefix : name]));
  return (
    <Section
      title="Tokens of issuers"
      aside={
        mayWrite && (
          <Button disabled={list.data === undefined} onClick={() => setEdited('new')}>
            Add an issuer
          </Button>
        )
      }
    >
      <p className="max-w-prose text-sm text-muted">
        {'Programs and people can call models with JSON Web Tokens of your company in place of API keys. '}
        <a href="/docs/guides/issued-tokens" className="text-accent underline">
          How to set it up
        </a>
      </p>
      <Loaded of={list} loading={<Rows count={1} />}>
        {({ token_issuers: issuers, suggested_audience: suggestedAudience }) => (
          <>
            <ul aria-label="Issuers" className="flex flex-col">
              {issuers.map((issuer) => (
                <IssuerRow
                  key={issuer.id}
                  issuer={issuer}
                  keyNames={keyNames}
                  {...(mayWrite && {
                    onEdit: () => setEdited(issuer),
                    onRemove: () => setRemoved(issuer),
                  })}
                />
              ))}
            </ul>
            {edited !== undefined && (
              <EditTokenIssuer
                stored={edited === 'new' ? undefined : edited}
                suggestedAudience={suggestedAudience}
                onClose={() => setEdited(undefined)}
              />
            )}
          </>
        )}
      </Loaded>
      {removed !== undefined && <RemoveIssuer issuer={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

interface IssuerRowProps {
  readonly issuer: TokenIssuer;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly onEdit?: () => void;
  readonly onRemove?: () => void;
}

/** An issuer with what each claim of its tokens means. */
function IssuerRow({ issuer: shown, keyNames, onEdit, onRemove }: IssuerRowProps) {
  const { issuer, audience } = shown;
  const nameOf = (id: string) => keyNames.get(id) ?? id;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <bdi className="min-w-0 grow text-sm font-medium wrap-anywhere">{issuer}</bdi>
        {onEdit !== undefined && (
          <span className="ml-auto flex gap-1">
            <Button look="quiet" aria-label={`Remove ${issuer}`} onClick={onRemove}>
              Remove
            </Button>
            <Button aria-label={`Edit ${issuer}`} onClick={onEdit}>
              Edit
            </Button>
          </span>
        )}
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        <Fact name="aud" value={audience} />
        <Fact name={shown.subject_claim} value="the end user of the call" />
        {shown.required_claims.map((required) => (
          <Fact key={required.claim} name={required.claim} value={`needs ${required.values.join(' or ')}`} />
        ))}
        {shown.project_keys.map(({ value, key_id: key }) => (
          <Fact
            key={value}
            name={`${shown.project_claim} = ${value}`}
            value={`calls as key ${nameOf(key)}`}
          />
        ))}
        {shown.key_id !== null && (
          <Fact
            name={shown.project_keys.length === 0 ? 'all tokens' : 'other tokens'}
            value={`call as key ${nameOf(shown.key_id)}`}
          />
        )}
      </dl>
    </li>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-muted wrap-anywhere">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">
        <bdi>{value}</bdi>
      </dd>
    </>
  );
}

interface RemoveIssuerProps {
  readonly issuer: TokenIssuer;
  readonly onClose: () => void;
}

function RemoveIssuer({ issuer: { id, issuer }, onClose }: RemoveIssuerProps) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization/token-issuers/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokenIssuers.queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Remove ${issuer}?`}
      lead="Calls with its tokens are refused at once."
      action="Remove"
      mutation={removing}
      onClose={onClose}
    />
  );
}
