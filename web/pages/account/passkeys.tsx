import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { loginFactors } from '../../api/queries.ts';
import { Button, Code, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ago, dateOf } from '../../parts/format.ts';
import { createPasskey } from '../../parts/passkey.ts';
import { Badge, Failure, Loaded, Rows, Section } from '../../parts/states.tsx';
import { PasswordField } from './password-field.tsx';
import { programName } from './program-name.ts';

/** Passkeys and the second factor. Nothing where the address of the gateway allows none. */
export function Passkeys() {
  const factors = useQuery(loginFactors);
  const client = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const removing = useMutation({
    mutationFn: (id: string) => told(api.DELETE('/v1/users/passkeys/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: loginFactors.queryKey }),
  });
  if (factors.data?.available === false) return null;
  return (
    <Section title="Passkeys" aside={<Button onClick={() => setAdding(true)}>Add a passkey</Button>}>
      {removing.error !== null && <Failure error={removing.error} />}
      <Loaded of={factors} loading={<Rows count={1} />}>
        {({ passkeys, second_factor: factor }) => (
          <>
            {passkeys.length === 0 && (
              <p className="max-w-prose text-sm text-muted">
                A passkey replaces the password: your device asks for a finger, a face or a PIN.
              </p>
            )}
            <ul className="flex flex-col">
              {passkeys.map(({ id, name, created_at, last_used_at }) => (
                <li
                  key={id}
                  className="flex min-h-11 flex-wrap items-center gap-x-4 border-b border-line py-1.5 text-sm"
                >
                  <span className="min-w-0 grow truncate" title={`added ${dateOf(created_at)}`}>
                    <bdi>{name}</bdi>
                  </span>
                  <span className="text-muted">
                    {last_used_at === null ? 'never used' : ago(last_used_at)}
                  </span>
                  <Button
                    look="quiet"
                    aria-label={`Remove ${name}`}
                    busy={removing.isPending}
                    onClick={() => removing.mutate(id)}
                  >
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
            {passkeys.length > 0 && <SecondFactor factor={factor} />}
          </>
        )}
      </Loaded>
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
    </Section>
  );
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(programName(navigator.userAgent));
  const [password, setPassword] = useState('');
  const adding = useMutation({
    async mutationFn() {
      const { challenge_id, options } = await told(
        api.POST('/v1/users/passkeys/options', { body: { password } }),
      );
      const response = await createPasskey(options);
      return told(api.POST('/v1/users/passkeys', { body: { challenge_id, name: name.trim(), response } }));
    },
    async onSuccess() {
      await client.invalidateQueries({ queryKey: loginFactors.queryKey });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      isIncomplete={password === '' || name.trim() === ''}
      saving={adding}
      onClose={onClose}
    >
      <Field label="Name" hint="To recognize the device.">
        {(field) => (
          <Input
            {...field}
            required
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <PasswordField label="Your password" value={password} onChange={setPassword} />
    </FormDialog>
  );
}

interface SecondFactorProps {
  readonly factor: { readonly since: string; readonly recovery_codes_left: number } | null;
}

function SecondFactor({ factor }: SecondFactorProps) {
  const [change, setChange] = useState<'on' | 'off'>();
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <span className="min-w-0 grow">
        {factor === null
          ? 'The password alone is enough to log in.'
          : `The password needs a passkey or a recovery code. ${factor.recovery_codes_left} recovery codes left.`}
      </span>
      {factor !== null && <Badge tone="accent">Second factor on</Badge>}
      <Button onClick={() => setChange('on')}>
        {factor === null ? 'Require a second factor' : 'New recovery codes'}
      </Button>
      {factor !== null && (
        <Button look="quiet" onClick={() => setChange('off')}>
          Switch off
        </Button>
      )}
      {change !== undefined && (
        <ChangeSecondFactor
          change={change}
          isOn={factor !== null}
          onCodes={setCodes}
          onClose={() => setChange(undefined)}
        />
      )}
      {codes !== undefined && (
        <Dialog
          open
          onClose={() => setCodes(undefined)}
          title="Recovery codes"
          lead="Each one replaces a passkey once. They are not shown again; earlier codes no longer work."
        >
          <Code label="Recovery codes" text={codes.join('\n')} />
        </Dialog>
      )}
    </div>
  );
}

interface ChangeProps {
  readonly change: 'on' | 'off';
  readonly isOn: boolean;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

function ChangeSecondFactor({ change, isOn, onCodes, onClose }: ChangeProps) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const changing = useMutation({
    mutationFn: async () =>
      change === 'on'
        ? (await told(api.POST('/v1/users/second-factor', { body: { password } }))).recovery_codes
        : void (await told(api.DELETE('/v1/users/second-factor', { body: { password } }))),
    async onSuccess(codes) {
      await client.invalidateQueries({ queryKey: loginFactors.queryKey });
      onClose();
      if (codes !== undefined) onCodes(codes);
    },
  });
  const { title, action } = changes[change === 'off' ? 'off' : isOn ? 'renew' : 'on'];
  return (
    <FormDialog
      title={title}
      action={action}
      isIncomplete={password === ''}
      saving={changing}
      onClose={onClose}
    >
      <PasswordField label="Your password" value={password} onChange={setPassword} />
    </FormDialog>
  );
}

const changes = {
  on: { title: 'Require a second factor?', action: 'Require it' },
  renew: { title: 'Replace the recovery codes?', action: 'Replace them' },
  off: { title: 'Switch the second factor off?', action: 'Switch off' },
} as const;
