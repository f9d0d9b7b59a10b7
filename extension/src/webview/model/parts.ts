/** The parts of a step and of its memory, in the order in which they are drawn. */
import type { Breakdown, Categories } from '../../generated/report';
import type { TextKey } from '../strings';

interface Part<Name extends string> {
  readonly name: Name;
  readonly label: TextKey;
  readonly meaning: TextKey;
}

export const stepParts: readonly Part<keyof Breakdown>[] = [
  { name: 'compute', label: 'compute', meaning: 'computeMeans' },
  { name: 'memory', label: 'memory', meaning: 'memoryMeans' },
  { name: 'overhead', label: 'overhead', meaning: 'overheadMeans' },
  { name: 'data', label: 'data', meaning: 'dataMeans' },
  { name: 'copy', label: 'copy', meaning: 'copyMeans' },
  { name: 'sync', label: 'sync', meaning: 'syncMeans' },
  { name: 'communication', label: 'communication', meaning: 'communicationMeans' },
  { name: 'idle', label: 'idle', meaning: 'idleMeans' },
  { name: 'other', label: 'other', meaning: 'otherMeans' },
];

export const memoryParts: readonly Part<keyof Categories>[] = [
  { name: 'parameter', label: 'parameters', meaning: 'parametersMeans' },
  { name: 'gradient', label: 'gradients', meaning: 'gradientsMeans' },
  { name: 'optimizer', label: 'optimizerState', meaning: 'optimizerStateMeans' },
  { name: 'activation', label: 'activations', meaning: 'activationsMeans' },
  { name: 'input', label: 'input', meaning: 'inputMeans' },
  { name: 'temporary', label: 'temporary', meaning: 'temporaryMeans' },
];
