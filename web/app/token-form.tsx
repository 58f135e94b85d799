import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button, Field, Input } from '../parts/controls.tsx';
import { Mark } from '../parts/mark.tsx';
import { sentence } from '../parts/states.tsx';

interface TokenFormProps {
  readonly title: string;
  readonly hint: string;
  /** Exchanges the token for a cookie. */
  send(token: string): Promise<unknown>;
}

/** Asks for a token of the gateway. */
export function TokenForm({ title, hint, send }: TokenFormProps) {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await send(token);
      await client.invalidateQueries();
    } catch (error) {
      setFault(error instanceof Error ? sentence(error.message) : 'That did not work.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-5 p-4">
      <title>{`${title} · Weir`}</title>
      <h1 className="flex items-center gap-2.5 text-lg font-semibold">
        <Mark /> {title}
      </h1>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Token" hint={hint} error={fault}>
          {(field) => (
            <Input
              {...field}
              type="password"
              autoComplete="current-password"
              required
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" busy={busy}>
          Open
        </Button>
      </form>
    </main>
  );
}
