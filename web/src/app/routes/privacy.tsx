import { paths } from '@/config/paths';
import { LegalPage } from '@/features/plans/legal/components/legal-page';
import { privacySections } from '@/features/plans/legal/privacy-text';
import { PAGE_DATES } from '@/features/plans/legal/text';

export function PrivacyRoute() {
  return (
    <LegalPage
      title="Privacy Policy"
      date={`Last updated ${PAGE_DATES.privacy}`}
      sectionsFor={privacySections}
      other={{ to: paths.terms, label: 'Terms and Conditions' }}
    />
  );
}
