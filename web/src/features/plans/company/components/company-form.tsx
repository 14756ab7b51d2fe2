import type { UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';
import { isSignedOut } from '@/api/api-error';
import { FormButtons } from '@/components/form-buttons';
import { Field } from '@/components/ui/field';
import { TextAreaField } from '@/components/ui/text-area-field';
import { LogoField } from '@/features/plans/company/components/logo-field';
import {
  companyBody,
  companyDraftKey,
  companySchema,
  formOfCompany,
  type Company,
  type CompanyEdit,
} from '@/features/plans/company/model';
import { useLogoEdit } from '@/features/plans/company/use-logo-edit';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { useForm } from '@/hooks/use-form';

type CompanyFormProps = {
  /** The company to edit; null for a new one. */
  company: Company | null;
  save: UseMutationResult<unknown, Error, CompanyEdit>;
  onCancel: () => void;
};

export function CompanyForm({ company, save, onCancel }: CompanyFormProps) {
  const draftKey = companyDraftKey(company);
  const [logo, setLogo] = useLogoEdit(`${draftKey}.logo`, isSignedOut(save.error));
  const form = useForm({
    schema: companySchema,
    initial: formOfCompany(company),
    draftKey,
  });
  useLeaveGuard(form.isChanged || logo.kind !== 'keep');
  // Set at once, before the button is drawn anew, and still while the saved company is on its way to the screen.
  const isSent = useRef(false);
  const send = (body: Parameters<typeof companyBody>[0]) => {
    if (isSent.current) return;
    isSent.current = true;
    const edit: CompanyEdit = (saved) =>
      companyBody(saved === null ? body : form.changesOver(formOfCompany(saved)), logo);
    save.mutate(edit, {
      onError: (error) => {
        isSent.current = false;
        form.refuse(error);
      },
    });
  };
  return (
    <form
      noValidate
      aria-label={company === null ? 'New company' : 'Edit company'}
      className="grid gap-4"
      onSubmit={(event) => void form.submit(send)(event)}
    >
      <Field
        label="Company name"
        autoComplete="organization"
        required
        autoFocus
        {...form.bindWithError('name')}
      />
      <TextAreaField label="Description" rows={3} {...form.bindWithError('description')} />
      <LogoField saved={company?.logo ?? null} edit={logo} onEdit={setLogo} />
      <FormButtons
        label={company === null ? 'Create Company' : 'Save Company'}
        busy={save.isPending}
        onCancel={onCancel}
      />
    </form>
  );
}
