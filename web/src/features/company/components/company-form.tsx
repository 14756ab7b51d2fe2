import { isSignedOut } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { LongTextField } from '@/components/ui/long-text-field';
import type { Schemas } from '@/api/client';
import { LogoField } from '@/features/company/components/logo-field';
import { checkCompany, companyBody, companyDraftKey, type Company } from '@/features/company/model';
import { useLogoEdit } from '@/features/company/use-logo-edit';
import { useCheckedForm } from '@/hooks/use-checked-form';

type CompanyFormProps = {
  /** The company to edit; null for a new one. */
  company: Company | null;
  pending: boolean;
  refusal: unknown;
  onSave: (body: Schemas['CompanyForm']) => void;
  onCancel: () => void;
};

export function CompanyForm({ company, pending, refusal, onSave, onCancel }: CompanyFormProps) {
  const draftKey = companyDraftKey(company);
  const [logo, setLogo] = useLogoEdit(`${draftKey}.logo`, isSignedOut(refusal));
  const { bind, submit } = useCheckedForm(
    { name: company?.name ?? '', description: company?.description ?? '' },
    { check: checkCompany, refusal, draftKey },
  );
  return (
    <form
      noValidate
      aria-label={company === null ? 'New company' : 'Edit company'}
      className="grid gap-4"
      onSubmit={submit((form) => {
        onSave(companyBody(form, logo));
      })}
    >
      <Field
        label="Company name"
        autoComplete="organization"
        required
        autoFocus
        {...bind('name')}
      />
      <LongTextField label="Description" rows={3} {...bind('description')} />
      <LogoField saved={company?.logo ?? null} edit={logo} onEdit={setLogo} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={pending}>
          {pending ? 'Saving...' : company === null ? 'Create Company' : 'Save Company'}
        </Button>
        <Button look="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
