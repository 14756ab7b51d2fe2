import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { LongTextField } from '@/components/ui/long-text-field';
import { useToast } from '@/components/ui/use-toast';
import { missingFields, type ContactDraft } from '@/features/contact/model';
import { contactMutations } from '@/features/contact/mutations';
import { useCheckedForm } from '@/hooks/use-checked-form';

type ContactFormProps = {
  /** Whom the answer goes to, as far as that is known. */
  sender: Pick<ContactDraft, 'name' | 'email'>;
};

export function ContactForm({ sender }: ContactFormProps) {
  const toast = useToast();
  const openedAt = useRef(0);
  useEffect(() => {
    openedAt.current = performance.now();
  }, []);
  // Nobody sees this field; programs that fill in every field give themselves away.
  const [website, setWebsite] = useState('');
  const send = useMutation({
    ...contactMutations.send(),
    onSuccess: () => {
      reset();
      toast({ title: 'Message sent', description: 'We typically respond within 24 hours.' });
    },
    onError: (error) => {
      toast({
        title: 'Failed to send message',
        description: sentenceOf(error, 'Please try again later.'),
        tone: 'bad',
      });
    },
  });
  const { form, bind, submit, reset } = useCheckedForm<ContactDraft>(
    { ...sender, subject: '', message: '' },
    { check: missingFields, refusal: send.error },
  );

  return (
    <Card>
      <form
        noValidate
        aria-label="Contact support"
        className="grid gap-4"
        onSubmit={(event) => {
          if (Object.keys(missingFields(form)).length > 0) {
            toast({
              title: 'Please fill in all required fields',
              description: 'Name, email, and message are required.',
              tone: 'bad',
            });
          }
          submit(({ name, email, subject, message }) => {
            send.mutate({
              name: name.trim(),
              email: email.trim(),
              subject: subject.trim() === '' ? null : subject.trim(),
              message: message.trim(),
              website,
              elapsedMs: Math.round(performance.now() - openedAt.current),
            });
          })(event);
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name" autoComplete="name" required {...bind('name')} />
          <Field label="Email" type="email" autoComplete="email" required {...bind('email')} />
        </div>
        <Field label="Subject" {...bind('subject')} />
        <LongTextField label="Message" rows={6} required {...bind('message')} />
        <div aria-hidden className="absolute -left-[200vw] size-px overflow-hidden">
          <input
            name="website"
            aria-label="Leave this empty"
            tabIndex={-1}
            autoComplete="off"
            value={website}
            onChange={(event) => {
              setWebsite(event.target.value);
            }}
          />
        </div>
        <Button type="submit" look="primary" disabled={send.isPending}>
          {send.isPending ? 'Sending...' : 'Send Message'}
        </Button>
      </form>
    </Card>
  );
}
