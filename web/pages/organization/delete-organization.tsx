import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Button } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { PasswordField } from '../account/password-field.tsx';

/** The button, and the dialog that asks for the password. */
export function DeleteOrganization({ name }: { readonly name: string }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const close = () => {
    setOpen(false);
    setPassword('');
  };
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/organization', { body: { password } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['organization'] });
      close();
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete the organization
      </Button>
      {open && (
        <FormDialog
          title={`Delete ${name}?`}
          lead="In seven days its keys stop working and its data is erased. Until then everything works, and owners can restore it."
          action="Delete in seven days"
          isIncomplete={password === ''}
          saving={deleting}
          onClose={close}
        >
          <PasswordField label="Your password" value={password} onChange={setPassword} />
        </FormDialog>
      )}
    </>
  );
}
