import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, told } from '../../api/client.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Failure } from '../../parts/states.tsx';

/** Asks for a mail with a link; whether there is such an account is not told. */
export function Forgotten() {
  const [email, setEmail] = useState('');
  const asking = useMutation({
    mutationFn: () => told(api.POST('/v1/users/password-reset', { body: { email } })),
  });
  const hasNoMail = asking.error instanceof ApiError && asking.error.detail === 'mail_not_configured';
  return (
    <div className="mx-auto flex max-w-sm flex-col gap-5 px-4 py-14">
      <title>Password forgotten · Weir</title>
      <h1 className="text-lg font-semibold">Password forgotten</h1>
      {asking.isSuccess ? (
        <p role="status" className="text-sm">
          If there is an account with {email}, a mail with a link is on its way. The link works once, for an
          hour.
        </p>
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            asking.mutate();
          }}
        >
          <Field label="E-mail" hint="You get a link to choose another password.">
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
          {hasNoMail ? (
            <p role="alert" className="text-sm text-refused">
              This gateway sends no mail. Ask whoever runs it.
            </p>
          ) : (
            asking.error !== null && <Failure error={asking.error} />
          )}
          <Button type="submit" look="primary" busy={asking.isPending}>
            Send the link
          </Button>
        </form>
      )}
    </div>
  );
}
