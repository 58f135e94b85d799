/** Runs a gateway as part of another program: `weir-gateway`. */
export {
  createGateway,
  type EmbeddedGateway,
  type GatewayOptions,
  type ProviderOptions,
} from './gateway/create-gateway.ts';
export { SettingsError } from './gateway/settings.ts';
