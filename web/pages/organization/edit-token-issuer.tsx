import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { keys, type TokenIssuer, tokenIssuers } from '../../api/queries.ts';
import { CheckList } from '../../parts/check-list.tsx';
import { Button, Field, Input, Select, TextArea } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import {
  bodyOf,
  fieldsOf,
  type IssuerFields,
  type ProjectKey,
  signatureAlgorithms,
} from './issuer-fields.ts';

interface EditTokenIssuerProps {
  /** Undefined for a new one. */
  readonly stored: TokenIssuer | undefined;
  readonly suggestedAudience: string;
  readonly onClose: () => void;
}

/** An issuer, and what the claims of its tokens mean. */
export function EditTokenIssuer({ stored, suggestedAudience, onClose }: EditTokenIssuerProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(() => fieldsOf(stored, suggestedAudience));
  const set = (changed: Partial<IssuerFields>) => setFields({ ...fields, ...changed });
  const saving = useMutation({
    mutationFn: () => {
      const body = bodyOf(fields);
      return stored === undefined
        ? told(api.POST('/v1/organization/token-issuers', { body }))
        : told(api.PUT('/v1/organization/token-issuers/{id}', { params: { path: { id: stored.id } }, body }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokenIssuers.queryKey });
      onClose();
    },
  });
  const text = (name: 'issuer' | 'audience' | 'jwksUri' | 'subjectClaim' | 'projectClaim') => ({
    value: fields[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
    autoComplete: 'off',
    spellCheck: false,
  });
  return (
    <FormDialog
      title={stored === undefined ? 'Add an issuer of tokens' : 'Change an issuer of tokens'}
      action={stored === undefined ? 'Add' : 'Save'}
      isIncomplete={isIncomplete(fields)}
      saving={saving}
      onClose={onClose}
    >
      <Field label="Issuer" hint="The claim iss of its tokens, exactly.">
        {(field) => (
          <Input {...field} {...text('issuer')} type="url" placeholder="https://login.example.com" />
        )}
      </Field>
      <Field label="Audience" hint="The claim aud, exactly. It contains the id of the organization.">
        {(field) => <Input {...field} {...text('audience')} />}
      </Field>
      <Field
        label="Address of the public keys"
        hint="Leave it empty if the discovery document of the issuer names it."
      >
        {(field) => <Input {...field} {...text('jwksUri')} type="url" />}
      </Field>
      <Field label="Claim with the end user" hint="Budgets and the log know the end user of each call.">
        {(field) => <Input {...field} {...text('subjectClaim')} placeholder="sub" />}
      </Field>
      <Field
        label="Required claims"
        hint="One in each line, with the values that count: groups = ai, search. Issuers that many share, such as GitHub, need one."
      >
        {(field) => (
          <TextArea
            {...field}
            rows={2}
            spellCheck={false}
            value={fields.requiredClaims}
            onChange={({ target }) => set({ requiredClaims: target.value })}
          />
        )}
      </Field>
      <Field label="API key" hint="Calls have its project, pipeline, limits, budgets and access rules.">
        {(field) => (
          <KeySelect
            {...field}
            none="None: a claim chooses the key"
            value={fields.keyId}
            onPick={(keyId) => set({ keyId })}
          />
        )}
      </Field>
      <Field label="Claim with the project" hint="Leave it empty if all tokens stand for the same key.">
        {(field) => <Input {...field} {...text('projectClaim')} />}
      </Field>
      {fields.projectClaim.trim() !== '' && (
        <ProjectKeys rows={fields.projectKeys} onChange={(projectKeys) => set({ projectKeys })} />
      )}
      <CheckList
        label="Signature algorithms"
        options={signatureAlgorithms.map((name) => [name, name])}
        chosen={fields.algorithms}
        onChange={(algorithms) => set({ algorithms })}
      />
    </FormDialog>
  );
}

/** The gateway says what is wrong with the rest. */
function isIncomplete({ issuer, audience, subjectClaim, algorithms, projectKeys, ...rest }: IssuerFields) {
  const namesProject = rest.projectClaim.trim() !== '';
  return (
    [issuer, audience, subjectClaim].some((text) => text.trim() === '') ||
    algorithms.length === 0 ||
    (!namesProject && rest.keyId === '') ||
    (namesProject &&
      (projectKeys.length === 0 ||
        projectKeys.some(({ value, keyId }) => value.trim() === '' || keyId === '')))
  );
}

interface ProjectKeysProps {
  readonly rows: readonly ProjectKey[];
  readonly onChange: (rows: readonly ProjectKey[]) => void;
}

/** The key for each value of the claim with the project. */
function ProjectKeys({ rows, onChange }: ProjectKeysProps) {
  const change = (index: number, changed: Partial<ProjectKey>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...changed } : row)));
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">Keys by the value of the claim</legend>
      {rows.map(({ value, keyId }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else, and none moves
        <div key={index} className="flex flex-wrap items-center gap-2">
          <Input
            aria-label={`Value ${index + 1}`}
            className="min-w-32 flex-1"
            placeholder="search"
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={({ target }) => change(index, { value: target.value })}
          />
          <KeySelect
            aria-label={`Key of value ${index + 1}`}
            className="min-w-32 flex-1"
            none="Choose a key"
            value={keyId}
            onPick={(picked) => change(index, { keyId: picked })}
          />
          <Button
            look="quiet"
            aria-label={`Remove value ${index + 1}`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button className="self-start" onClick={() => onChange([...rows, { value: '', keyId: '' }])}>
        Add a value
      </Button>
    </fieldset>
  );
}

interface KeySelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'value'> {
  /** The text of no choice. */
  readonly none: string;
  readonly value: string;
  readonly onPick: (id: string) => void;
}

/** An active API key; a stored one stays, also if it was revoked. */
function KeySelect({ none, value, onPick, ...rest }: KeySelectProps) {
  const { data } = useQuery(keys);
  const listed = (data?.keys ?? []).filter(({ id, revokedAt }) => revokedAt === null || id === value);
  return (
    <Select {...rest} value={value} onChange={({ target }) => onPick(target.value)}>
      <option value="">{none}</option>
      {listed.map(({ id, name, prefix, revokedAt }) => (
        <option key={id} value={id}>
          {`${name === '' ? prefix : name}${revokedAt === null ? '' : ' (revoked)'}`}
        </option>
      ))}
      {data !== undefined && value !== '' && !listed.some(({ id }) => id === value) && (
        <option value={value}>{value}</option>
      )}
    </Select>
  );
}
