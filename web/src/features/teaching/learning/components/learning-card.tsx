import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { LoadedSetting } from '@/components/loaded-setting';
import { ManagersOnly } from '@/components/managers-only';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { SwitchField } from '@/components/ui/switch-field';
import { useToast } from '@/components/ui/use-toast';
import { Calibration } from '@/features/teaching/learning/components/calibration';
import { outcomeText, usableFeedback } from '@/features/teaching/learning/model';
import { learningMutations } from '@/features/teaching/learning/mutations';
import { learningQuery } from '@/features/teaching/learning/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, formatCount } from '@/lib/format';

type LearningCardProps = {
  /** Whether the decision holds for a whole company. */
  inCompany: boolean;
};

/** What the server may learn from what people say of their scans, and what it has learnt. */
export function LearningCard({ inCompany }: LearningCardProps) {
  const learning = useQuery(learningQuery());
  return (
    <SettingsCard
      title="Learning from Feedback"
      description={`What you say of your scans stays on this server. ${
        inCompany
          ? 'This holds for all members of your company, whose scans it is learnt from.'
          : 'This holds for your scans.'
      }`}
    >
      <LoadedSetting query={learning}>{(setting) => <Settings learning={setting} />}</LoadedSetting>
    </SettingsCard>
  );
}

type SettingsProps = { learning: Schemas['Learning'] };

function Settings({ learning }: SettingsProps) {
  const { confirmedScansTeach, refitCalibration, mayChange } = learning;
  const { feedback, leastFeedback, calibration } = learning;
  const { decide, refit, undo } = useChanges();
  const usable = usableFeedback(feedback);
  const save = (change: Partial<Schemas['LearningDecision']>) =>
    decide.mutate({ confirmedScansTeach, refitCalibration, ...change });
  return (
    <>
      {!mayChange && <ManagersOnly />}
      <SwitchField
        label="Confirmed scans teach"
        hint="Once you have said what a scan shows, its photo helps to find that part again."
        on={confirmedScansTeach}
        disabled={!mayChange || decide.isPending}
        onChange={(on) => save({ confirmedScansTeach: on })}
      />
      <SwitchField
        label="Fit the percentages to feedback"
        hint="Each hour with new feedback, and only where it makes the percentages truer."
        on={refitCalibration}
        disabled={!mayChange || decide.isPending}
        onChange={(on) => save({ refitCalibration: on })}
      />
      <p className="text-sm text-soft">
        {usable + feedback.notAPart === 0
          ? 'Nobody has said anything of a scan yet. Open a scan and say whether it is right.'
          : `Said so far: ${formatCount(feedback.right)} right, ${formatCount(feedback.otherPart)} another part, ${formatCount(feedback.notAPart)} not a part.`}{' '}
        {usable < leastFeedback &&
          `Fitting starts at ${countOf(leastFeedback, 'scan')} with a known part; ${formatCount(leastFeedback - usable)} to go.`}
      </p>
      {calibration !== null && (
        <Calibration calibration={calibration} leastFeedback={leastFeedback} />
      )}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            disabled={refit.isPending || usable < leastFeedback}
            onClick={() => refit.mutate()}
          >
            {refit.isPending ? 'Fitting...' : 'Fit Now'}
          </Button>
          {calibration?.temperature != null && (
            <Button size="small" disabled={undo.isPending} onClick={() => undo.mutate()}>
              {undo.isPending ? 'Going back...' : 'Back to the Model’s Own'}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function useChanges() {
  const toast = useToast();
  const fail = useFailureToast();
  const onError = (error: Error) => fail(error, 'This could not be saved. Please try again.');
  return {
    decide: useMutation({ mutationFn: learningMutations.decide, onError }),
    refit: useMutation({
      mutationFn: learningMutations.refit,
      onSuccess: ({ calibration, leastFeedback }) => {
        if (calibration === null) return;
        toast({ title: 'Fitted', description: outcomeText(calibration, leastFeedback) });
      },
      onError,
    }),
    undo: useMutation({
      mutationFn: learningMutations.undo,
      onSuccess: () =>
        toast({
          title: 'Undone',
          description: 'The model’s own calibration holds until you turn fitting on again.',
        }),
      onError,
    }),
  };
}
