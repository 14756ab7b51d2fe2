import { useQuery } from '@tanstack/react-query';
import { ReportView } from '@/features/evaluations/components/report-view';
import { evaluationQueries } from '@/features/evaluations/queries';
import { companyQueries } from '@/features/plans/company/queries';
import { DialCard } from '@/features/teaching/dial/components/dial-card';

/** One evaluation, and the dial with what each choice led to on its photos. */
export function EvaluationReport({ id }: { id: string }) {
  const company = useQuery(companyQueries.own());
  const evaluation = useQuery(evaluationQueries.one(id));
  const thresholds = evaluation.data?.report?.thresholds;
  return (
    <>
      <ReportView id={id} />
      {thresholds !== undefined && (
        <DialCard inCompany={company.data != null} measured={thresholds} />
      )}
    </>
  );
}
