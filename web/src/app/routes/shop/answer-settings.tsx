import { useQuery } from '@tanstack/react-query';
import { JudgeCard } from '@/features/judging/components/judge-card';
import { companyQueries } from '@/features/plans/company/queries';
import { DialCard } from '@/features/teaching/dial/components/dial-card';
import { LearningCard } from '@/features/teaching/learning/components/learning-card';

/** What people decide of how their scans are answered. */
export function AnswerSettings() {
  const company = useQuery(companyQueries.own());
  const inCompany = company.data != null;
  return (
    <>
      <DialCard inCompany={inCompany} />
      <JudgeCard />
      <LearningCard inCompany={inCompany} />
    </>
  );
}
