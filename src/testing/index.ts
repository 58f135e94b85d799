/** The entry `weir-gateway/testing`, for the tests of module authors. */
export { FakeUpstream, type Script, type SeenRequest } from './fake-upstream.ts';
export { type ModuleRun, type RunOptions, runModule } from './run-module.ts';
export { startTestGateway, type TestGateway } from './test-gateway.ts';
