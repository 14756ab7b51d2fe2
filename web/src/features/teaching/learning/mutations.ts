import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const learningMutations = {
  decide: () =>
    mutationOptions({
      mutationKey: ['learning', 'decide'],
      mutationFn: (body: Schemas['LearningDecision']) =>
        bodyOf(client.PUT('/api/learning', { body })),
    }),
  /** Fits the confidence to the feedback now. */
  refit: () =>
    mutationOptions({
      mutationKey: ['learning', 'refit'],
      mutationFn: () => bodyOf(client.POST('/api/learning/calibration')),
    }),
  /** Goes back to the model's own calibration. */
  undo: () =>
    mutationOptions({
      mutationKey: ['learning', 'undo'],
      mutationFn: () => bodyOf(client.DELETE('/api/learning/calibration')),
    }),
};
