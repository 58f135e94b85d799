import type { FormEvent, ReactNode } from 'react';
import type { Mutation } from './confirm-dialog.tsx';
import { Button, Field, Input } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly lead?: string;
  /** The button that saves. */
  readonly action: string;
  /** Whether something is missing, so that it can't be saved. */
  readonly isIncomplete: boolean;
  readonly saving: Mutation;
  /** Whether a field shows why saving failed. */
  readonly isFaultInField?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form with fields of something that is stored under a name. */
export function FormDialog({
  title,
  lead,
  action,
  isIncomplete,
  saving,
  isFaultInField = false,
  onClose,
  children,
}: FormDialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Dialog open wide onClose={onClose} title={title} lead={lead}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {saving.error !== null && !isFaultInField && <Failure error={saving.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={isIncomplete} busy={saving.isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  readonly hint: string;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** The name of a configuration, as the gateway accepts it. */
export function NameField({ hint, error, value, onChange }: NameFieldProps) {
  return (
    <Field label="Name" hint={hint} error={error}>
      {(field) => (
        <Input
          {...field}
          required
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
