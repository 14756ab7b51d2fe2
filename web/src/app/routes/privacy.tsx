import { paths } from '@/config/paths';
import { LegalPage } from '@/features/legal/components/legal-page';
import { privacySections } from '@/features/legal/privacy-text';
import { PAGE_DATES } from '@/features/legal/text';

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
