import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { Organization } from '../../api/queries.ts';
import { useSession } from '../../app/session.ts';
import { Field, Input } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

interface NameOrganizationProps {
  /** Undefined for a new one. */
  readonly renamed: Organization | undefined;
  readonly onClose: () => void;
}

/** Creates an organization and switches to it, or renames the present one. */
export function NameOrganization({ renamed, onClose }: NameOrganizationProps) {
  const client = useQueryClient();
  const { leaveFor } = useSession();
  const [name, setName] = useState(renamed?.named === true ? renamed.name : '');
  const saving = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim() };
      if (renamed === undefined) {
        const { id } = await told(api.POST('/v1/organizations', { body }));
        await leaveFor(id, async () => undefined);
      } else await told(api.PATCH('/v1/organization', { body }));
    },
    onSuccess: async () => {
      await Promise.all(
        ['organization', 'organizations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title={renamed === undefined ? 'New organization' : 'Rename the organization'}
      {...(renamed === undefined && { lead: 'You are its owner, and can invite people.' })}
      action={renamed === undefined ? 'Create' : 'Rename'}
      isIncomplete={name.trim() === ''}
      saving={saving}
      onClose={onClose}
    >
      <Field label="Name">
        {(field) => (
          <Input
            {...field}
            maxLength={100}
            autoComplete="organization"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
