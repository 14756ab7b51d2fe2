import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { TextAreaField } from '@/components/ui/text-area-field';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { contactSchema } from '@/features/plans/contact/model';
import { contactMutations } from '@/features/plans/contact/mutations';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { useForm } from '@/hooks/use-form';

type ContactFormProps = {
  /** Whom the answer goes to, as far as that is known. */
  sender: { name: string; email: string };
};

export function ContactForm({ sender }: ContactFormProps) {
  const toast = useToast();
  const openedAt = useRef(0);
  useEffect(() => {
    openedAt.current = performance.now();
  }, []);
  const send = useMutation({
    mutationFn: contactMutations.send,
    onSuccess: () => {
      form.reset();
      toast({ title: 'Message sent', description: 'We typically respond within 24 hours.' });
    },
    onError: (error) => {
      form.refuse(error);
      toast(failureMessage('Failed to send message', error, 'Please try again later.'));
    },
  });
  const form = useForm({
    schema: contactSchema,
    initial: { ...sender, subject: '', message: '', website: '' },
  });
  useLeaveGuard(form.isChanged);

  return (
    <Card>
      <form
        noValidate
        aria-label="Contact support"
        className="grid gap-4"
        onSubmit={(event) =>
          form.submit(
            (body) => {
              const elapsedMs = Math.round(performance.now() - openedAt.current);
              send.mutate({ ...body, elapsedMs });
            },
            () => {
              toast({
                title: 'Please fill in all required fields',
                description: 'Name, email, and message are required.',
                tone: 'bad',
              });
            },
          )(event)
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name" autoComplete="name" required {...form.bindWithError('name')} />
          <Field
            label="Email"
            type="email"
            autoComplete="email"
            required
            {...form.bindWithError('email')}
          />
        </div>
        <Field label="Subject" {...form.bindWithError('subject')} />
        <TextAreaField label="Message" rows={6} required {...form.bindWithError('message')} />
        <div aria-hidden className="absolute -left-[200vw] size-px overflow-hidden">
          <input
            aria-label="Leave this empty"
            tabIndex={-1}
            autoComplete="off"
            {...form.bind('website')}
          />
        </div>
        <Button type="submit" look="primary" disabled={send.isPending}>
          {send.isPending ? 'Sending...' : 'Send Message'}
        </Button>
      </form>
    </Card>
  );
}
