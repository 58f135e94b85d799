import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { capabilities, sessionHasEnded } from '../../api/queries.ts';
import { ThemeChoice } from '../../app/theme-choice.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Forgotten } from './forgotten.tsx';
import { SignIn } from './sign-in.tsx';
import { useSignUpPolicy } from './sign-up-policy.ts';
import { Start } from './start.tsx';

/** What who isn't logged in sees: by the address, and for any page of an account the log-in that leads to it. */
export default function Entrance() {
  const { pathname } = useLocation();
  const canSignUp = useSignUpPolicy() === 'on';
  const { data: about } = useSuspenseQuery(capabilities);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex w-full max-w-5xl items-center gap-3 px-4 py-4 sm:px-6">
        <Link to="/" className="flex items-center gap-2.5 text-base font-semibold tracking-tight">
          <Mark /> Weir
        </Link>
        <nav aria-label="Entrance" className="ml-auto flex items-center gap-4 text-sm">
          <Link to={'/login' as string} className="text-muted hover:text-ink">
            Log in
          </Link>
          {canSignUp && (
            <Link
              to={'/signup' as string}
              className="rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent"
            >
              Sign up
            </Link>
          )}
          <ThemeChoice small />
        </nav>
      </header>
      <main className="grow">{pageAt(pathname)}</main>
      <footer className="mx-auto flex w-full max-w-5xl flex-wrap gap-x-6 gap-y-2 px-4 py-6 text-sm text-muted sm:px-6">
        <a href="/docs/" className="hover:text-ink">
          Documentation
        </a>
        <a href="/openapi.json" className="hover:text-ink">
          API description
        </a>
        <a href="/docs/project/changelog" className="hover:text-ink">
          What’s new in {about.version}
        </a>
      </footer>
    </div>
  );
}

function pageAt(pathname: string): ReactNode {
  if (pathname === '/' && !sessionHasEnded()) return <Start />;
  if (pathname === '/signup') return <SignIn how="signup" />;
  if (pathname === '/forgotten') return <Forgotten />;
  return <SignIn how="login" key="login" />;
}
