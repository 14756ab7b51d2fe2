import type { LegalParties, LegalSection } from '@/features/plans/legal/text';

/** The nine sections of specification 2, section 2. */
export function privacySections({ legalEntity, supportEmail }: LegalParties): LegalSection[] {
  return [
    {
      title: '1. Information we collect',
      paragraphs: [
        `This policy says what ${legalEntity}, a limited liability company organized in the State of Oregon, United States ("we", "us"), does with personal information in Partsight, the service that identifies car parts from photographs and keeps maintenance records for vehicles. We collect:`,
      ],
      points: [
        'Your name and e-mail address, which you give when you sign up, or which the sign-in provider that you choose passes on to us, with your picture there if it has one.',
        'Your date of birth, if you give it, to confirm that you are old enough to use the service.',
        'What you keep with us: your vehicles with the plates and identification numbers that you enter, oil changes, repairs, odometer readings, and the company and team members that you add.',
        'The photographs that you scan and the results of each scan. Location and camera data inside a photograph are not needed for a scan.',
        'Usage data: the number and time of scans, signed-in browsers, the time and address of requests, and the messages that you send to support.',
        'The state of a paid plan. Card numbers go from your browser to the payment provider; we never receive them.',
      ],
    },
    {
      title: '2. How we use information',
      paragraphs: ['We use this information for these purposes and for no others:'],
      points: [
        'to run your account and to keep it secure, which includes limiting attempts to sign in;',
        'to identify parts, to show results that fit your vehicle, and to remind you of maintenance;',
        'to count scans, and to bill the plan that you choose;',
        'to answer you, and to send you mails about your account;',
        'to measure and improve the identification, as the Terms and Conditions describe;',
        'to meet legal duties and to defend legal claims.',
      ],
    },
    {
      title: '3. How we share information',
      paragraphs: [
        'We do not sell personal information, and we do not share it for advertising. We pass it on only:',
      ],
      points: [
        'to service providers who work for us and may use it for that work alone, such as a payment provider, a mail service, a sign-in provider, or a service that looks at a photograph when the identification is not sure and that step is turned on;',
        'to the other members of your company: your name, your e-mail address, your role in it, and your picture if your sign-in provider passes one on;',
        'where a law, a court or an authority with the power to do so requires it, or where it is needed to protect rights and safety;',
        'to a successor, if the service is transferred as a whole, under the terms of this policy.',
      ],
    },
    {
      title: '4. Security',
      paragraphs: [
        'We protect information by technical and organizational measures. Passwords are stored only as salted hashes, sessions can be ended by you at any time, rows are reached only by the account that owns them, and access by people is limited to those who need it.',
        'No system is perfectly secure, and we cannot promise that ours is. If a breach concerns your personal information, we will tell you and the authorities as the law requires.',
      ],
    },
    {
      title: '5. Retention',
      paragraphs: [
        'We keep personal information for as long as your account exists. You can clear your scan history and delete single records at any time. When you delete your account, its vehicles, records, scans and photographs are deleted with it; copies in backups go when the backups expire.',
        'For 30 days after that we remember how many scans the account had used, so that a new account with the same e-mail address goes on from there. The number is kept under a keyed code made from the address, and not with the address itself.',
        'We keep longer only what the law demands, such as invoices, and what is needed to settle a dispute that is under way.',
      ],
    },
    {
      title: '6. Children under 13',
      paragraphs: [
        'Partsight is not meant for children under 13, and we do not knowingly collect their information. If you believe that a child under 13 has given us personal information, write to us and we will delete it.',
      ],
    },
    {
      title: '7. Your rights',
      paragraphs: [
        'Whatever the law of the place where you live, you may at any time, and free of charge:',
      ],
      points: [
        'access the personal information that we hold about you; your account page gives it to you as a file;',
        'update or correct it;',
        'delete it, by deleting your account or by asking us;',
        'opt out of marketing, if we send any;',
        'withdraw a consent that you gave; what was done before stays lawful.',
      ],
    },
    {
      title: '8. Changes to this policy',
      paragraphs: [
        'When this policy changes, the date at its top changes with it. We tell you about a material change before it takes effect, and ask for your consent again where the law requires it.',
      ],
    },
    {
      title: '9. Contact',
      paragraphs: [
        `Questions about privacy, and requests about your information, reach ${legalEntity} at ${supportEmail}. We answer a request about your information within 45 days. If we refuse one, we say why, and you may complain to the Attorney General of Oregon or to the authority of the place where you live.`,
      ],
    },
  ];
}
