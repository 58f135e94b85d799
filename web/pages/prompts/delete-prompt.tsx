import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, told } from '../../api/client.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { usePromptsChanged } from './use-prompts-changed.ts';

interface DeletePromptProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeletePrompt({ name, onClose, onDeleted }: DeletePromptProps) {
  const [typed, setTyped] = useState('');
  const changed = usePromptsChanged();
  const deleting = useMutation({
    mutationFn: () => told(api.DELETE('/v1/prompts/{name}', { params: { path: { name } } })),
    onSuccess: () => {
      onDeleted();
      return changed();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deleting.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      lead="All its versions and labels are deleted and can’t be brought back. Calls that name it are rejected from then on."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={`Type ${name} to delete it`}>
          {(field) => (
            <Input
              {...field}
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        {deleting.error !== null && <Failure error={deleting.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={typed !== name} busy={deleting.isPending}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
