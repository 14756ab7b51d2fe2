import { useQuery } from '@tanstack/react-query';
import { DriftCard } from '@/features/evaluations/components/drift-card';
import { EvaluationsCard } from '@/features/evaluations/components/evaluations-card';
import { JudgeCard } from '@/features/judging/components/judge-card';
import { companyQueries } from '@/features/plans/company/queries';
import { DialCard } from '@/features/teaching/dial/components/dial-card';
import { dialQuery } from '@/features/teaching/dial/queries';
import { LearningCard } from '@/features/teaching/learning/components/learning-card';

type AnswerSettingsProps = {
  /** Whether the plan includes new evaluations. */
  inPlan: boolean;
};

/** What people decide of how their scans are answered. */
export function AnswerSettings({ inPlan }: AnswerSettingsProps) {
  const company = useQuery(companyQueries.own());
  const dial = useQuery(dialQuery());
  const inCompany = company.data != null;
  return (
    <>
      <DialCard inCompany={inCompany} />
      {/* Those who may set the dial may measure what it should be set to. */}
      {dial.data?.mayChange === true && (
        <>
          <DriftCard />
          <EvaluationsCard inPlan={inPlan} />
        </>
      )}
      <JudgeCard />
      <LearningCard inCompany={inCompany} />
    </>
  );
}
