import type { LegalParties, LegalSection } from '@/features/legal/text';

export function privacySections({ legalEntity, supportEmail }: LegalParties): LegalSection[] {
  return [
    {
      title: '1. Information we collect',
      paragraphs: [
        `This policy says what ${legalEntity} ("we") does with personal information in Partsight. We collect:`,
      ],
      points: [
        'Your name and e-mail address, which you give when you sign up.',
        'Your date of birth, if you give it, to confirm that you are old enough to use the service.',
        'Usage data: your vehicles and maintenance records, the photographs you scan and their results, the number of scans, and technical records such as the time of a request and the kind of browser.',
      ],
    },
    {
      title: '2. How we use it',
      paragraphs: [
        'We use this information to run your account, to identify parts and show results that fit your vehicle, to count scans, to answer your messages, to keep the service secure, and to improve the identification.',
      ],
    },
    {
      title: '3. How we share it',
      paragraphs: [
        'We do not sell personal information. We share it only with service providers who work for us and are bound to use it for that work alone, such as a payment provider or a mail service, and where the law, a court or the protection of rights and safety requires it.',
        'When you open a retailer or a video search from Partsight, that site receives the words of the search and learns what any site learns of its visitors. Its own policy applies there.',
      ],
    },
    {
      title: '4. Security',
      paragraphs: [
        'We protect the information by technical and organizational measures: passwords are stored only as salted hashes, and access is limited to those who need it. No system is perfectly secure, and we cannot promise that ours is.',
      ],
    },
    {
      title: '5. Retention',
      paragraphs: [
        'We keep personal information for as long as your account exists, and afterwards only as long as the law demands or as is needed to settle disputes. You can clear your scan history at any time.',
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
      paragraphs: ['You may ask us at any time to:'],
      points: [
        'give you access to the personal information that we hold about you;',
        'update or correct it;',
        'delete it;',
        'stop sending you marketing, if we send any;',
        'end processing that rests on your consent, by withdrawing that consent.',
      ],
    },
    {
      title: '8. Changes to this policy',
      paragraphs: [
        'When this policy changes, the date at its top changes with it. We will tell you about a material change before it takes effect.',
      ],
    },
    {
      title: '9. Contact',
      paragraphs: [
        `Questions about privacy, and requests about your information: ${supportEmail}.`,
      ],
    },
  ];
}
