import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure, Section } from '../../parts/states.tsx';
import { PasswordField } from './password-field.tsx';

/** All that the account has, to take along or to have deleted. */
export function OwnData() {
  const [deleting, setDeleting] = useState(false);
  return (
    <Section title="Your data">
      <p className="max-w-prose text-sm text-muted">
        The export has everything that the gateway keeps for the account. Deleting it ends all sessions and
        keys at once; what was paid stays in the books, without your name.
      </p>
      <div className="flex flex-wrap gap-2">
        <a
          href="/v1/users/me/export"
          download="weir-export.json"
          className="inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-edge"
        >
          Export
        </a>
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete the account
        </Button>
      </div>
      {deleting && <DeleteAccount onClose={() => setDeleting(false)} />}
    </Section>
  );
}

function DeleteAccount({ onClose }: { readonly onClose: () => void }) {
  const { left } = useSession();
  const [password, setPassword] = useState('');
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/users/me', { body: { password } })),
    onSuccess: () => left(),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Delete the account?"
      lead="Keys stop working. This cannot be undone."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          deleting.mutate();
        }}
      >
        <PasswordField label="Your password" value={password} onChange={setPassword} />
        {deleting.error !== null && <Failure error={deleting.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" busy={deleting.isPending}>
            Delete for good
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
