import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { Project } from '../../api/queries.ts';
import { Field, Input } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

interface NameProjectProps {
  /** Undefined for a new one. */
  readonly renamed: Project | undefined;
  readonly onClose: () => void;
}

/** Creates a project, or renames one. */
export function NameProject({ renamed, onClose }: NameProjectProps) {
  const client = useQueryClient();
  const [name, setName] = useState(renamed?.name ?? '');
  const saving = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim() };
      if (renamed === undefined) await told(api.POST('/v1/organization/projects', { body }));
      else {
        const path = { id: renamed.id };
        await told(api.PATCH('/v1/organization/projects/{id}', { params: { path }, body }));
      }
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['projects'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={renamed === undefined ? 'New project' : 'Rename the project'}
      action={renamed === undefined ? 'Create' : 'Rename'}
      isIncomplete={name.trim() === ''}
      saving={saving}
      onClose={onClose}
    >
      <Field label="Name" hint="Unique in the organization.">
        {(field) => (
          <Input
            {...field}
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
