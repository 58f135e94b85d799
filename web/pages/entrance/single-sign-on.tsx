import { type FormEvent, useState } from 'react';
import { Button, Field, Input } from '../../parts/controls.tsx';

/** Why a sign-on was refused, by the name that the gateway puts into the address. */
const failures: Readonly<Record<string, string>> = {
  attempt: 'This sign-in took too long or was used already. Begin again.',
  provider_refused: 'Your identity provider refused. Ask its administrators whether you may use Weir.',
  provider_unavailable: 'Your identity provider can’t be reached. Try again later.',
  invalid_answer: 'The answer of your identity provider is not valid. Try again, or ask your administrators.',
  email_missing: 'Your identity provider sent no mail address.',
  email_unverified: 'Your identity provider does not say that your mail address is verified.',
  email_domain: 'Your mail address is of no domain that your organization has proven.',
  groups_missing: 'Your identity provider left your groups out. Ask your administrators.',
  no_role: 'Your groups give you no role in the organization. Ask its administrators.',
  other_subject:
    'Your mail address belonged to another person before. An owner has to remove that member first.',
  disabled: 'This account is disabled.',
  limit_reached: 'The organization can have no further members, or you no further organizations.',
  unknown: 'There is no single sign-on for this organization or mail address.',
};

interface Arrival {
  /** The organization of a link. */
  readonly organization: string | undefined;
  readonly failure: string | undefined;
}

/** What the gateway or a link has put behind the address of the page. */
export function readArrival(hash: string): Arrival {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const failure = values.get('failure');
  return {
    organization: values.get('organization') ?? undefined,
    failure: failure === null ? undefined : (failures[failure] ?? 'That did not work.'),
  };
}

/** Where the browser goes, to come back logged in. */
function startOf(query: Readonly<Record<string, string>>): string {
  return `/v1/sign-on/start?${new URLSearchParams(query)}`;
}

/** Log-in at the identity provider of an organization. */
export function SingleSignOn({ arrival: { organization, failure } }: { readonly arrival: Arrival }) {
  const [isAsking, setAsking] = useState(false);
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    window.location.assign(startOf({ email: email.trim() }));
  };
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-5">
      {failure !== undefined && (
        <p role="alert" className="text-sm text-failed">
          {failure}
        </p>
      )}
      {organization !== undefined ? (
        <Button look="primary" onClick={() => window.location.assign(startOf({ organization }))}>
          Sign in with single sign-on
        </Button>
      ) : isAsking ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field label="E-mail at your organization" hint="Its domain leads to your identity provider.">
            {(field) => (
              <Input
                {...field}
                type="email"
                autoComplete="email"
                required
                autoFocus
                value={email}
                onChange={({ target }) => setEmail(target.value)}
              />
            )}
          </Field>
          <Button type="submit">Continue</Button>
        </form>
      ) : (
        <Button onClick={() => setAsking(true)}>Sign in with single sign-on</Button>
      )}
    </div>
  );
}
