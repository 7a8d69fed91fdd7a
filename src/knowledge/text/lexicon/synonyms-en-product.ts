/**
 * English near-synonyms about using a product: accounts, privacy, messages, calls, support. One group per line, entries separated
 * by commas. Refuses opposites, wider terms and words that mean this only in a narrow setting.
 */

const accounts = `
log in, sign in, login, authenticate, sign on, logon, log on
log out, sign out, logout, sign off, logoff, log off
sign up, register, signup, create an account, registration, open an account, enroll
account, profile
delete account, close account, remove account, account deletion, erase my account
deactivate account, disable account, suspend account, account suspension
password, passcode, passphrase
reset password, forgot password, change password, forgotten password, lost password, password recovery
locked out, cannot log in, lost access, account locked, unable to sign in
credentials, login details, username and password, access data
username, user name, nickname, handle, login name, screen name, display name
email, e-mail, mail, email address
phone number, mobile number, telephone number, cell number
2fa, mfa, two-factor authentication, multi-factor authentication, two factor, two-step verification, two step
authenticator app, totp
verification code, one-time code, otp, security code, confirmation code
backup code, recovery code, recovery key
sso, single sign-on, saml
passkey, security key, webauthn, fido, hardware key
fingerprint, face id, touch id, biometric
stay logged in, remember me, keep me signed in
verify, verification, confirm, validate
avatar, profile picture, profile photo, user picture
merge accounts, combine accounts, link accounts, connect accounts
switch account, multiple accounts, change account, second account
invite, ask to join
member, participant
user, account holder
owner, account owner, workspace owner
workspace, organization, organisation, tenant
team, department
join, become a member
personal data, personal information, pii, user data, personal details
privacy, data protection, data privacy
cookie, tracking cookie, web tracker
consent, opt in
opt out, withdraw consent, object to processing
anonymous, without a name, pseudonymous
anonymise, anonymize, pseudonymize, mask, redact
privacy policy, privacy notice, privacy statement
data subject request, right of access, subject access request, access my data
right to be forgotten, right to erasure, delete my data, data deletion, erase my data`;

const security = `
hack, compromise, break into, compromised account, hijack
data breach, data leak, security incident, leak
vulnerability, security hole, security flaw, exploit, security issue
phishing, fake email, spoofing, fraudulent email
suspicious, strange activity
virus, malware, ransomware, trojan
encrypt, encryption, cipher, end-to-end encryption, e2ee
decrypt, decryption, decipher
firewall, network security, ip filter
vpn, virtual private network, secure tunnel
bug bounty, vulnerability disclosure, report a vulnerability, responsible disclosure
penetration test, pentest, security testing
lost device, stolen, theft, stolen phone, stolen laptop
antivirus, endpoint protection, virus scanner
spy, surveillance, eavesdrop`;

const permissions = `
admin, administrator
role, permission level, access level
permission, access right, privilege
allow, permit, enable, grant, permission
forbid, forbidden, prohibit, ban, not allowed, disallow, not permitted
unauthorized, unauthorised, no permission, access denied, permission denied, forbidden
revoke, withdraw access, take away, remove access, remove permission
restrict, restriction, limited access, constrain
approve, authorize, accept, sign off
deny, denial, reject, decline, refuse, turn down
read-only, view only, cannot edit
owner transfer, transfer ownership, change owner, new owner
assign, allocate, allot
share, give access, grant access
public, visible to everyone, open to all
private, hidden, invite-only, not public
block, blacklist, blocklist, deny list, denylist
whitelist, allowlist, allow list, safelist
audit log, activity log, audit trail, change history, access log`;

const messages = `
message, text message, dm, direct message, chat message
chat, conversation, messaging, instant message
thread, reply chain, discussion
channel, chat room
reply, respond, response, answer
mention, tag someone, at-mention, tagging
emoji, emoticon, smiley, reaction
sticker, gif
edit message, change a message, correct a message
unsend, delete message, recall message, take back a message
read receipt, seen, blue ticks, read status
typing indicator, is typing
forward, pass on
draft, unsent message
attachment, attached file, file upload
link, url, web address, hyperlink
notification, notify, alert
push notification, push, push message
mute, silence, turn off notifications, snooze, do not disturb, dnd
reminder, remember to
inbox, mailbox
newsletter, mailing list, marketing email, promotional email
spam, junk mail, unwanted messages, unsolicited
signature, email footer
presence, online status
offline, disconnected, not connected, without internet
address book, contact list
friend, buddy
post, publish
comment, remark
upvote, thumbs up
feed, timeline, news feed
poll, survey, questionnaire
feedback, suggestion, opinion
feature request, suggest a feature, feature suggestion, idea for improvement
bot, chatbot, virtual assistant, automated assistant
translate, interpret`;

const calls = `
call, phone call, ring, voice call, telephone call
video call, video chat, videoconference, video conference, video meeting
conference call, group call, group meeting
meeting, video meeting, conference
dial, place a call, make a call, phone someone
hang up, end the call, leave the call, end call
pick up the phone, answer a call, accept a call
voicemail, voice message, answering machine, voice mail
record, capture
transcript, transcription, transcribe, speech to text
caption, subtitle, closed captions, live captions
text to speech, tts, read aloud, voice output
speech recognition, stt, speech-to-text, voice recognition, dictation
microphone, mic
camera, webcam
speaker, loudspeaker
volume, loud, sound level
audio, sound
cannot hear, no sound, no audio, silent
echo, feedback noise, background noise, noise
screen share, share screen, present my screen, screensharing
virtual background, background blur, blurred background
meeting host, meeting organizer, meeting organiser
breakout room, side room, small group
waiting room, lobby
choppy, lag, laggy, stutter, poor quality, jitter
dropped call, call drops, connection lost, call ended
calendar, agenda
photo, picture, image
video, clip, movie, footage
music, song, audio track
live stream, livestream, broadcast, go live
file, document
folder, directory
upload, add a file, send a file
download, save to my device, save a copy
file size, too large, too big, upload limit, size limit
image quality, video quality, video resolution, hd`;

const moderation = `
report abuse, flag content, report a user, report content
abuse, misuse
offensive, insult, hate speech, inappropriate content, obscene
violence, violent
nudity, pornographic, sexual content, adult content, nsfw
banned, suspended, blocked, kicked out
kick, remove a member, throw out
appeal, contest a decision, challenge a decision, ask for review
community guidelines, community rules, community standards
fake, counterfeit, imitation, impersonate
take down, takedown, remove content, content removal, dmca
misinformation, fake news, false information, disinformation`;

export const englishProduct: string = [accounts, security, permissions, messages, calls, moderation].join('');
