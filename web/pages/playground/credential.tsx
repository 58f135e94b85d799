import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { Button, Field, Input } from '../../parts/controls.tsx';
import { Failure } from '../../parts/states.tsx';
import { keepForTab } from '../../parts/tab-key.ts';

interface CredentialProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An API key that is pasted, or one made for this tab: in memory only. */
export function Credential({ value, onChange }: CredentialProps) {
  const making = useMutation({
    mutationFn: () =>
      told(api.POST('/v1/keys', { body: { name: `Playground, ${new Date().toLocaleString()}` } })),
    onSuccess: ({ id, key }) => {
      keepForTab(id);
      onChange(key);
    },
  });
  return (
    <div className="flex flex-col gap-2">
      <div className="flex max-w-2xl items-end gap-2">
        <div className="min-w-0 grow">
          <Field label="API key">
            {(field) => (
              <Input
                {...field}
                type="password"
                autoComplete="off"
                spellCheck={false}
                placeholder="gw_live_…"
                value={value}
                onChange={(event) => onChange(event.target.value.trim())}
              />
            )}
          </Field>
        </div>
        <Button busy={making.isPending} onClick={() => making.mutate()}>
          Make one for this tab
        </Button>
      </div>
      <p className="text-xs text-muted">
        Calls to models do not accept the session. The key stays in this tab’s memory only; one created here
        is revoked at log-out, after 24 hours, or when the tab is closed.
      </p>
      {making.error !== null && <Failure error={making.error} />}
    </div>
  );
}
