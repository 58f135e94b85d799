import { type FormEvent, useState } from 'react';
import { useSession } from '../../app/session.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { signWithPasskey } from '../../parts/passkey.ts';

/** What the gateway asks for after a right password. */
export interface SecondFactorRequest {
  readonly challenge_id: string;
  readonly options: object;
}

interface SecondFactorProps {
  readonly request: SecondFactorRequest;
  readonly isBusy: boolean;
  /** Runs a login, and shows what is wrong. */
  readonly onLogIn: (logIn: () => Promise<unknown>) => void;
}

/** In place of the password: a passkey or a recovery code. */
export function SecondFactor({ request: { challenge_id, options }, isBusy, onLogIn }: SecondFactorProps) {
  const { completeLogIn } = useSession();
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onLogIn(() => completeLogIn({ challenge_id, recovery_code: code }));
  };
  return (
    <div className="flex flex-col gap-5">
      <Button
        look="primary"
        busy={isBusy}
        autoFocus
        onClick={() =>
          onLogIn(async () => completeLogIn({ challenge_id, response: await signWithPasskey(options) }))
        }
      >
        Use your passkey
      </Button>
      <form onSubmit={submit} className="flex flex-col gap-4 border-t border-line pt-5">
        <Field label="Recovery code" hint="If your passkey is lost. Each code works once.">
          {(field) => (
            <Input
              {...field}
              autoComplete="one-time-code"
              spellCheck={false}
              required
              value={code}
              onChange={({ target }) => setCode(target.value)}
            />
          )}
        </Field>
        <Button type="submit" busy={isBusy}>
          Use the code
        </Button>
      </form>
    </div>
  );
}
