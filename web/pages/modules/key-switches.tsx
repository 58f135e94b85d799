import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { type ApiKey, type GatewayPipeline, keyOwners, type ModuleInfo } from '../../api/queries.ts';
import { Switch } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { dateOf, utc } from '../../parts/format.ts';
import { fixedModules, modulesOfKey, withModule, withoutModule } from '../../parts/pipeline/module-places.ts';
import { useRights } from '../../parts/rights.tsx';
import { Badge, Empty, Failure } from '../../parts/states.tsx';

interface KeySwitchesProps {
  readonly module: string;
  readonly keys: readonly ApiKey[];
  readonly gateway: GatewayPipeline;
  readonly known: readonly ModuleInfo[];
  readonly onClose: () => void;
}

/** Switches one module on and off, key by key. */
export function KeySwitches({ module, keys, gateway, known, onClose }: KeySwitchesProps) {
  const client = useQueryClient();
  const saving = useMutation({
    mutationFn: ({ id, pipelineConfig }: Pick<ApiKey, 'id' | 'pipelineConfig'>) =>
      told(api.PATCH('/v1/keys/{id}', { params: { path: { id } }, body: { pipelineConfig } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  const { data: owners } = useQuery(keyOwners);
  const sinceOf = (id: string) => owners?.keys.find((key) => key.id === id)?.modules_since ?? {};
  const isFixed = fixedModules(gateway, known).includes(module);
  const mayChange = useRights()('keys:write');
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Keys with ${module}`}
      lead="It holds from the next call on. A key without a pipeline of its own gets one here: the gateway’s, with this change."
    >
      {isFixed && (
        <p className="text-sm text-muted">The operator has set this protective module for all keys.</p>
      )}
      {saving.error !== null && <Failure error={saving.error} />}
      {keys.length === 0 ? (
        <Empty title="No keys yet.">Create one on the page Keys.</Empty>
      ) : (
        <ul className="flex max-h-96 flex-col overflow-y-auto">
          {keys.map(({ id, name, prefix, pipelineConfig }) => {
            const isOn = modulesOfKey(pipelineConfig, gateway, known).has(module);
            const since = sinceWhen(module, pipelineConfig === null ? gatewaySince(gateway) : sinceOf(id));
            const before = pipelineConfig ?? gateway.pipeline;
            return (
              <li key={id} className="flex items-center gap-3 border-b border-line py-2 text-sm">
                <span className="min-w-0 grow truncate">
                  <bdi>{name === '' ? `${prefix}…` : name}</bdi>
                </span>
                {isOn && since !== undefined && (
                  <span className="text-xs text-muted" title={utc(since)}>
                    since {dateOf(since)}
                  </span>
                )}
                {pipelineConfig === null && <Badge>gateway’s pipeline</Badge>}
                <Switch
                  label={`${module} for ${name === '' ? prefix : name}`}
                  isOn={isOn}
                  disabled={isFixed || !mayChange || saving.isPending}
                  onChange={(on) =>
                    saving.mutate({
                      id,
                      pipelineConfig: on ? withModule(before, module, known) : withoutModule(before, module),
                    })
                  }
                />
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
}

type Since = Readonly<Record<string, string | null>>;

function gatewaySince({ modules }: GatewayPipeline): Since {
  return Object.fromEntries(modules.map(({ name, since }) => [name, since]));
}

/** Undefined where it is not known, as of a pipeline that an earlier version of the gateway stored. */
function sinceWhen(module: string, since: Since): string | undefined {
  return Object.hasOwn(since, module) ? (since[module] ?? undefined) : undefined;
}
