import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { FormAlert } from '@/components/form-alert';
import { LoadedSetting } from '@/components/loaded-setting';
import { ManagersOnly } from '@/components/managers-only';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { DialOptions } from '@/features/teaching/dial/components/dial-options';
import { FoldedPicture } from '@/features/teaching/dial/components/dial-picture';
import {
  isAtModelsOwn,
  optionInForce,
  optionsOf,
  originText,
  type ThresholdOutcome,
} from '@/features/teaching/dial/model';
import { dialMutations } from '@/features/teaching/dial/mutations';
import { dialQuery } from '@/features/teaching/dial/queries';
import { useSessionEnd } from '@/hooks/use-session-end';

type DialCardProps = {
  /** Whether the choice holds for a whole company. */
  inCompany: boolean;
  /** What the choices led to on photos of the shop. */
  measured?: readonly ThresholdOutcome[];
};

/** How many wrong answers are accepted, and what that means for how many photos are answered. */
export function DialCard({ inCompany, measured = [] }: DialCardProps) {
  const dial = useQuery(dialQuery());
  return (
    <SettingsCard
      title="How Sure an Answer Must Be"
      description={`The fewer wrong answers you accept, the more photos are left unsure. ${
        inCompany ? 'This holds for all members of your company.' : 'This holds for your scans.'
      }`}
    >
      <LoadedSetting query={dial}>
        {(setting) => <Choice dial={setting} outcomes={measured} />}
      </LoadedSetting>
    </SettingsCard>
  );
}

type ChoiceProps = { dial: Schemas['Dial']; outcomes: readonly ThresholdOutcome[] };

function Choice({ dial, outcomes }: ChoiceProps) {
  const { choices, confidenceIsFitted, mayChange, maxWrongPercent } = dial;
  const { isDraft, chosen, inForce, choose, save } = useDraft(dial);
  const measured = choices.find(({ maxWrongPercent: percent, isModelsOwn }) =>
    chosen === null ? isModelsOwn : percent === chosen,
  );
  if (choices.length === 0) {
    return (
      <p className="text-sm text-soft">
        The model of this server was not measured for this. It answers by its own threshold.
      </p>
    );
  }
  return (
    <form
      aria-label="How sure an answer must be"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isDraft && !save.isPending) save.mutate(chosen);
      }}
    >
      {!mayChange && <ManagersOnly />}
      {maxWrongPercent !== null && maxWrongPercent !== inForce && (
        <Notice tone="info" title={`At most ${maxWrongPercent}% was chosen`}>
          The model in use does not offer that. What is marked below holds in its place.
        </Notice>
      )}
      {confidenceIsFitted && (
        <Notice tone="info" title="Nothing is promised for now">
          The percentages are fitted to your feedback, and these figures were measured without it.
        </Notice>
      )}
      <FoldedPicture choices={choices} chosen={measured?.maxWrongPercent ?? null} />
      <DialOptions
        options={optionsOf(dial)}
        outcomes={outcomes}
        chosen={chosen}
        inForce={inForce}
        dial={dial}
        readOnly={!mayChange || save.isPending}
        onChoose={choose}
      />
      <p className="text-sm text-soft">
        Nothing is promised of parts that you taught, or of parts that the model does not know.
      </p>
      {mayChange && (
        <>
          <FormAlert
            refusal={
              save.isError
                ? {
                    message: sentenceOf(save.error, 'This could not be saved. Please try again.'),
                  }
                : null
            }
          />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            {/* Disabled outright, it would lose the focus at the moment that it is pressed. */}
            <Button type="submit" look="primary" aria-disabled={!isDraft || save.isPending}>
              {save.isPending ? 'Saving...' : 'Save'}
            </Button>
            {isDraft && !save.isPending && <Button onClick={() => choose(inForce)}>Discard</Button>}
            <p role="status" className="text-sm text-muted">
              {save.isPending ? '' : isDraft ? 'Not saved yet.' : save.isSuccess ? 'Saved.' : ''}
            </p>
          </div>
        </>
      )}
      <Origin dial={dial} measured={measured ?? null} />
    </form>
  );
}

type OriginProps = Pick<ChoiceProps, 'dial'> & { measured: Schemas['DialChoice'] | null };

function Origin({ dial, measured }: OriginProps) {
  const text = originText(dial);
  if (text === null) return null;
  return (
    <details className="text-sm text-muted">
      <summary className="w-fit cursor-pointer rounded-sm py-1 font-medium text-soft">
        Where the figures come from
      </summary>
      <div className="mt-1 grid gap-2">
        <p>{text}</p>
        {isAtModelsOwn(measured, dial) && <p>{dial.rule}</p>}
        <p>
          Your own photos may be harder or easier. Photos that are left unsure may get a second
          opinion, where that is allowed.
        </p>
      </div>
    </details>
  );
}

/** What is marked, which holds from the moment it is saved. */
function useDraft(dial: Schemas['Dial']) {
  const queryClient = useQueryClient();
  const endSession = useSessionEnd();
  const inForce = optionInForce(dial);
  const [draft, setDraft] = useState<{ percent: number | null } | null>(null);
  const chosen = draft === null ? inForce : draft.percent;
  const save = useMutation({
    mutationFn: dialMutations.choose,
    onSuccess: (saved) => {
      queryClient.setQueryData(dialQuery().queryKey, saved);
      setDraft(null);
    },
    onError: (error) => {
      if (isSignedOut(error)) endSession();
    },
  });
  return {
    inForce,
    chosen,
    isDraft: chosen !== inForce,
    choose: (percent: number | null) => {
      setDraft({ percent });
      save.reset();
    },
    save,
  };
}
