import { type FormEvent, useState } from 'react';
import { Button, Field, Input } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

/** What a dialog needs of a mutation. */
export interface Mutation {
  readonly error: Error | null;
  readonly isPending: boolean;
  mutate(): void;
}

interface ConfirmDialogProps {
  readonly open?: boolean;
  readonly title: string;
  readonly lead: string;
  /** The button that does nothing. */
  readonly keep?: string;
  /** The button that runs the mutation. */
  readonly action: string;
  readonly mutation: Mutation;
  readonly onClose: () => void;
}

/** Asks before something is deleted. */
export function ConfirmDialog({
  open = true,
  title,
  lead,
  keep = 'Keep it',
  action,
  mutation,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title} lead={lead}>
      {mutation.error !== null && <Failure error={mutation.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{keep}</Button>
        <Button look="danger" busy={mutation.isPending} onClick={() => mutation.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

interface ConfirmByNameDialogProps
  extends Pick<ConfirmDialogProps, 'title' | 'lead' | 'action' | 'mutation' | 'onClose'> {
  /** What has to be typed. */
  readonly name: string;
  /** Completes `Type <name>`. */
  readonly purpose: string;
}

/** Asks for a name to be typed before something is deleted for good. */
export function ConfirmByNameDialog({
  title,
  lead,
  name,
  purpose,
  action,
  mutation,
  onClose,
}: ConfirmByNameDialogProps) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutation.mutate();
  };
  return (
    <Dialog open onClose={onClose} title={title} lead={lead}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={`Type ${name} ${purpose}`}>
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
        {mutation.error !== null && <Failure error={mutation.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" disabled={typed !== name} busy={mutation.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
