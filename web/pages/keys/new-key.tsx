import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Button, Code, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { Failure } from '../../parts/states.tsx';
import { OwnerField, saveOwner } from './owner-field.tsx';
import { ProjectField } from './project-field.tsx';

/** Makes a key, and shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [owner, setOwner] = useState('');
  const [project, setProject] = useState('');
  const [pipeline, setPipeline] = useState<string>();
  const making = useMutation({
    mutationFn: async () => {
      const body = {
        name,
        ...(pipeline !== undefined && { pipelineConfig: pipeline }),
        ...(project !== '' && { projectId: project }),
      };
      const created = await told(api.POST('/v1/keys', { body }));
      // The key is shown in any case: nobody can see it again.
      if (owner !== '') await saveOwner(created.id, owner).catch(() => undefined);
      return created;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (making.data !== undefined)
    return (
      <Dialog
        open
        stays
        wide
        onClose={onClose}
        title="Your key"
        lead="It is shown only this once. The gateway stores a hash and cannot show it again."
      >
        <Code label="Key" text={making.data.key} wraps />
        <Button look="primary" className="self-end" onClick={onClose}>
          Done
        </Button>
      </Dialog>
    );
  return (
    <Dialog open wide={pipeline !== undefined} onClose={onClose} title="New key">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <Field label="Name" hint="For you, to tell keys apart.">
          {(field) => (
            <Input {...field} maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
        <OwnerField value={owner} onChange={setOwner} />
        <ProjectField value={project} onChange={setProject} />
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={pipeline !== undefined}
            onChange={(event) => setPipeline(event.target.checked ? 'cost-guard?day=5' : undefined)}
          />
          With a pipeline of its own
        </label>
        {pipeline !== undefined && <PipelineEditor text={pipeline} onChange={setPipeline} />}
        {making.error !== null && <Failure error={making.error} />}
        <Button type="submit" look="primary" className="self-end" busy={making.isPending}>
          Create key
        </Button>
      </form>
    </Dialog>
  );
}
