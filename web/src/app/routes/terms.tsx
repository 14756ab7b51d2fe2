import { paths } from '@/config/paths';
import { LegalPage } from '@/features/plans/legal/components/legal-page';
import { termsSections } from '@/features/plans/legal/terms-text';
import { PAGE_DATES } from '@/features/plans/legal/text';

export function TermsRoute() {
  return (
    <LegalPage
      title="Terms and Conditions"
      date={`Effective ${PAGE_DATES.terms}`}
      sectionsFor={termsSections}
      other={{ to: paths.privacy, label: 'Privacy Policy' }}
    />
  );
}
