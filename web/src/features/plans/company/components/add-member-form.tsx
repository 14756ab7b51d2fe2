import { useMutation } from '@tanstack/react-query';
import { FormButtons } from '@/components/form-buttons';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { MEMBER_DRAFT, memberSchema, type InvitationLink } from '@/features/plans/company/model';
import { companyMutations } from '@/features/plans/company/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useForm } from '@/hooks/use-form';
import { useLeaveGuard } from '@/hooks/use-leave-guard';

type AddMemberFormProps = {
  companyId: string;
  /** Called with the link of an invitation that no mail brings. */
  onLink: (link: InvitationLink) => void;
  onClose: () => void;
};

const EMPTY = { userName: '', userEmail: '', role: 'member' };

export function AddMemberForm({ companyId, onLink, onClose }: AddMemberFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const add = useMutation({
    mutationFn: companyMutations.addMember(companyId),
    onSuccess: ({ email, link }) => {
      if (link === null) {
        toast({
          title: 'Invitation sent',
          description: `${email} joins by accepting within 14 days.`,
        });
      } else {
        onLink({ email, link: new URL(link, window.location.origin).href });
      }
      onClose();
    },
    onError: (error) => {
      form.refuse(error);
      fail(error, 'Failed to add team member');
    },
  });
  const form = useForm({ schema: memberSchema, initial: EMPTY, draftKey: MEMBER_DRAFT });
  useLeaveGuard(form.isChanged);
  return (
    <form
      noValidate
      aria-label="Add member"
      className="grid gap-4 rounded-md border bg-canvas/40 p-4"
      onSubmit={form.submit((body) => add.mutate(body))}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Full name"
          autoComplete="off"
          required
          autoFocus
          {...form.bindWithError('userName')}
        />
        <Field
          label="E-mail"
          type="email"
          autoComplete="off"
          required
          {...form.bindWithError('userEmail')}
        />
      </div>
      <SelectField label="Role" {...form.bind('role')}>
        <option value="member">Member</option>
        <option value="manager">Manager: also adds and removes people</option>
      </SelectField>
      <p className="text-sm text-soft">
        They get a mail with a link. Where this server sends no mail, you get the link to give to
        them. They are in once they say yes.
      </p>
      <FormButtons
        label="Add to Team"
        busyLabel="Adding..."
        busy={add.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
