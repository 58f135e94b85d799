import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { sessionHasEnded } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { sentence } from '../../parts/states.tsx';
import { claimSandbox } from './sandbox.ts';

const words = {
  login: { title: 'Log in', other: 'No account yet?', otherTo: '/signup', otherName: 'Sign up' },
  signup: { title: 'Sign up', other: 'An account already?', otherTo: '/login', otherName: 'Log in' },
} as const;

export function SignIn({ how }: { readonly how: keyof typeof words }) {
  const { enter, open } = useSession();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { title, other, otherTo, otherName } = words[how];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await enter(how, { email, password });
      // Without it one is logged in all the same.
      await claimSandbox().catch(() => undefined);
      if (pathname === '/login' || pathname === '/signup') await navigate({ to: '/', replace: true });
      await open();
    } catch (error) {
      setFault(error instanceof Error ? sentence(error.message) : 'That did not work.');
      setBusy(false);
    }
  };
  return (
    <div className="mx-auto flex max-w-sm flex-col gap-5 px-4 py-14">
      <title>{`${title} · Weir`}</title>
      <h1 className="text-lg font-semibold">{title}</h1>
      {how === 'login' && sessionHasEnded() && (
        <p role="status" className="rounded-md bg-refused-soft px-3 py-2 text-sm text-refused">
          Your session has ended. Log in, and you are back where you were.
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="E-mail">
          {(field) => (
            <Input
              {...field}
              type="email"
              autoComplete="email"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Password" {...(how === 'signup' && { hint: '8 characters or more.' })}>
          {(field) => (
            <Input
              {...field}
              type="password"
              autoComplete={how === 'signup' ? 'new-password' : 'current-password'}
              minLength={how === 'signup' ? 8 : 1}
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        {fault !== undefined && (
          <p role="alert" className="text-sm text-failed">
            {fault}
          </p>
        )}
        <Button type="submit" look="primary" busy={busy}>
          {title}
        </Button>
      </form>
      <p className="flex flex-wrap gap-x-2 text-sm text-muted">
        {other}
        <Link to={otherTo as string} className="text-accent underline">
          {otherName}
        </Link>
        {how === 'login' && (
          <Link to={'/forgotten' as string} className="ml-auto text-accent underline">
            Password forgotten
          </Link>
        )}
      </p>
    </div>
  );
}
