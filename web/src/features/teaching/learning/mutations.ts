import { bodyOf, client, type Schemas } from '@/api/client';

export const learningMutations = {
  decide: (body: Schemas['LearningDecision']) => bodyOf(client.PUT('/api/learning', { body })),
  /** Fits the confidence to the feedback now. */
  refit: () => bodyOf(client.POST('/api/learning/calibration')),
  /** Goes back to the model's own calibration. */
  undo: () => bodyOf(client.DELETE('/api/learning/calibration')),
};
