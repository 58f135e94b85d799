import type { ErrorDescriptions } from '../error-reference.ts';

export const moduleErrors = {
  bad_pipeline: {
    cause:
      'The list of modules is too long or names a module twice, or a list that was to be stored has the faults in the message.',
    remedy:
      'Correct the [pipeline](modules/README.md#pipelines) in `x-weir-pipeline`, the API key or `WEIR_PIPELINE`.',
  },
  unknown_module: {
    cause: 'The pipeline names a module that this gateway does not have.',
    remedy: 'Take a name from `GET /v1/capabilities`; load packages with [`WEIR_MODULES`](settings.md).',
  },
  bad_module_option: {
    cause: 'An option of a module is unknown, invalid or given twice. `param` names it.',
    remedy: 'Correct the option; the [module’s page](modules/README.md) lists its options.',
  },
  unknown_configuration: {
    cause: 'The pipeline names a configuration of a module that neither the account nor the gateway has.',
    remedy:
      'Take a name from `GET /v1/configurations`, or store one with `PUT /v1/configurations/<module>/<name>`.',
  },
  configuration_limit_reached: {
    cause: 'The account has as many configurations as it can store.',
    remedy: 'Delete one with `DELETE /v1/configurations/<module>/<name>`.',
  },
  configuration_in_use: {
    cause:
      'The pipeline of an API key or of the gateway, or an alias, names the configuration that was to be deleted.',
    remedy: 'Change the keys or aliases that the message lists, then delete it.',
  },
  import_refused: {
    cause:
      'The file to import is truncated, changed, out of order, of another format version, or not encrypted with this passphrase. Nothing was imported.',
    remedy: 'Export again, and import the file as it is. A newer format needs a newer version of Weir.',
  },
  import_running: {
    cause: 'Another import of the account is under way, or was stopped less than a quarter of an hour ago.',
    remedy: 'Wait until it has ended, and try again.',
  },
  blocked_by_module: {
    cause: 'A module rejected the call for a reason of its own, which `detail` names.',
    remedy: 'Change the call as the message says, or leave the module out of the pipeline.',
  },
  module_broken: {
    cause: 'A module failed, and calls may not go on without it. The log has the error.',
    remedy: 'Leave the module out of the pipeline, and report the bug to its author.',
  },
} as const satisfies ErrorDescriptions;
