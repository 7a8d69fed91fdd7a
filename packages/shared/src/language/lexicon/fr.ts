export const fr = {
  'stop-words': `
// Words that say how something is asked, not what about; without apostrophes.
à, afin, ai, aie, aient, ait, alors, après, as, assez, au, aucun, aucune, aujourdhui, auquel, aura, aurai, aurais, aurait, auront, aussi
autre, autres, aux, avaient, avais, avait, avant, avec, avez, aviez, avoir, avons, ayant, beaucoup, bien, c, ça, car, ce, ceci, cela
celle, celles, celui, cependant, certain, certaine, certaines, certains, ces, cet, cette, ceux, chaque, chez, ci, combien, comme
comment, concernant, contre, d, dans, de, dedans, depuis, derrière, des, dès, devant, devez, devrais, devrait, devons, doit, doivent
dois, donc, dont, du, durant, elle, elles, en, encore, entre, envers, es, est, et, étaient, étais, était, étant, été, êtes, être, eu
eux, faire, fais, fait, faites, faut, faudrait, font, grâce, hors, il, ils, ici, j, jamais, je, jusque, jusqu, l, la, là, laquelle, le
lequel, les, lesquelles, lesquels, leur, leurs, lorsque, lors, lui, m, ma, mais, malgré, me, même, mêmes, mes, mien, mienne, moi, moins
mon, n, ne, ni, non, nos, notre, nôtre, nous, on, ont, or, ou, où, par, parce, pas, pendant, peu, peut, peuvent, peux, plus, plusieurs
plutôt, pour, pourquoi, pourrais, pourrait, pourrez, pouvez, pouvoir, pouvons, près, puis, puisque, puisse, qu, quand, que, quel, quelle
quelles, quelqu, quelque, quelques, quels, qui, quoi, quoique, rien, s, sa, sans, se, sera, serai, serais, serait, seront, ses, si, sien
sienne, sinon, soi, soient, sois, soit, sommes, son, sont, sous, suis, sur, t, ta, tandis, te, tel, telle, telles, tels, tes, toi, ton
toujours, tous, tout, toute, toutes, très, trop, tu, un, une, va, vais, vas, vers, veut, veux, veulent, voici, voilà, vont, vos, votre
vôtre, voulez, vouloir, vous, vu, y, cest, dun, dune, jai, jaimerais, jaurais, lon, nest, quest, quil, quon, sil, allô, bonjour, bonsoir
coucou, merci, mercis, pardon, désolé, désolée, excusez, plaît, plait, salut, stp, svp, ok, okay, oui, ouais, hello, hey, aimerais
aimerait, besoin, dire, dis, dites, explique, expliquer, expliquez, question, questions, sais, savez, savoir, souhaite, souhaiterais
voudrais, voudrait, vraiment, juste
`,
  negations: `
pas, jamais, aucun, aucune, ni, rien, personne ne
except: sans, sauf, hormis, excepte
`,
  affirmations: `
non seulement, pas plus de, pas plus tard
`,
  opposites: `
plus de, au moins, minimum, au minimum, superieur | moins de, au plus, maximum, au maximum, jusqu'a, dans un delai de, dans les, inferieur
toujours | parfois, jamais, rarement; only: seulement, uniquement, exclusivement |
general: n'importe quel, tout, les deux |
avant, avant le, jusqu'a | apres, a partir
inclure, inclus, incluse, comprendre, compris, comprise, comprennent, comprend | exclure, exclu, exclus, exclue
accepter, accepte, approuver, approuve, acceptee, acceptes, acceptees | refuser, refuse, rejeter, rejete, refusee, refuses, refusees
autorise, autoriser, permis, permettre, autorisee, autorises | interdit, interdire, interdite, interdits
ouvert, ouverte, ouvrir, ouverts | ferme, fermee, fermer, fermes; tous, toutes, chaque | certains, certaines, quelques
obligatoire, doit, doivent, devez, requis | facultatif, facultative, optionnel, peut, peuvent, pouvez
augmenter, augmente | diminuer, diminue, reduire, baisser; premier, premiere, premiers | dernier, derniere, derniers
interne, internes | externe, externes; gratuit, gratuite, gratuits, gratuitement | payant, payante, payants
public, publique | prive, privee, confidentiel; automatique, automatiquement | manuel, manuellement
`,
  joints: `
et, mais, tandis que, si
part: sans, sauf, au lieu de, avant, apres, que, comme
`,
  discourse: `
toutefois, ainsi, de plus, exemple, notamment, generalement, important, selon, suivant, suivants, bien sur, veuillez
`,
  numbers: `
0.5: demi, demie; 1: un, une; 2: deux, double; 3: trois; 4: quatre; 5: cinq; 6: six; 7: sept; 8: huit; 9: neuf; 10: dix; 11: onze
12: douze, douzaine; 13: treize; 14: quatorze; 15: quinze, quinzaine; 16: seize; 20: vingt; 30: trente; 40: quarante; 50: cinquante
60: soixante; 100: cent; 1000: mille
2: deuxieme; 3: troisieme; 4: quatrieme; 5: cinquieme; 6: sixieme
`,
  measures: `
s: secondes; minute: minute, minutes; hour: heure, heures; day: jour, jours, journee, journees, quotidien, quotidienne
week: semaine, semaines, hebdomadaire; month: mois, mensuel, mensuelle, mensuels, mensuelles, mensuellement
quarter: trimestre, trimestres, trimestriel; year: an, ans, annee, annees, annuel, annuelle, annuels, annuelles
business?: ouvre, ouvres, ouvrable, ouvrables; calendar?: calendaire, calendaires; weekend: week-end, weekend
%: pour-cent; $: dollar, dollars; €: euro, euros; kb: ko; mb: mo; gb: go; tb: to; thousand: mille; million: million, millions
billion: milliard, milliards
monday: lundi, lundis; tuesday: mardi, mardis; wednesday: mercredi, mercredis; thursday: jeudi, jeudis; friday: vendredi, vendredis
saturday: samedi, samedis; sunday: dimanche, dimanches
january: janvier; february: fevrier; march: mars; april: avril; may: mai; june: juin; july: juillet; august: aout; september: septembre
october: octobre; november: novembre; december: decembre
`,
  synonyms: `
// Words and short phrases that may stand for one another: no opposites, no wider terms.
remboursement, rembourser, être remboursé, récupérer mon argent
prix, tarif, coût, combien coûte, frais
gratuit, sans frais, offert, gratuitement
réduction, remise, rabais, promotion
code promo, bon de réduction, coupon, code de réduction
payer, paiement, régler, règlement
facture, facturation
reçu, justificatif, preuve d'achat, preuve de paiement
moyen de paiement, mode de paiement, méthode de paiement
virement, virement bancaire
prélèvement, débit automatique, prélèvement automatique
tva, taxe
abonnement, forfait, formule, offre
essai gratuit, période d'essai, version d'essai
renouvellement, renouveler, reconduction
résilier, résiliation, annuler, annulation, mettre fin
préavis, délai de préavis
rétractation, droit de rétractation, délai de rétractation
contrat, accord
conditions générales, conditions d'utilisation, cgu, cgv
obligatoire, requis, exigé
interdit, défendu, pas autorisé, interdire
autoriser, permettre, permis, autorisation
livraison, expédition, envoi, livrer, expédier
retour, renvoyer, retourner
défectueux, cassé, endommagé, abîmé
colis, paquet
congé, vacances, congés payés, jours de repos
maladie, malade, arrêt maladie, arrêt de travail
salaire, paie, rémunération
fiche de paie, bulletin de salaire, bulletin de paie
notes de frais, dépenses, frais professionnels
télétravail, travail à distance, travailler de chez moi
employé, salarié, collaborateur, personnel
responsable, manager, chef, supérieur
démission, démissionner, quitter l'entreprise
se connecter, connexion, s'identifier, ouvrir une session
se déconnecter, déconnexion
mot de passe, mdp
compte, profil
s'inscrire, inscription, créer un compte
supprimer, effacer, suppression
modifier, changer, modification
désactiver, éteindre, couper
activer, allumer
confidentialité, vie privée, protection des données, rgpd
données personnelles, informations personnelles
conservation, durée de conservation, conserver
sauvegarde, copie de sécurité
paramètre, réglage, configuration, option
appel, coup de fil, appeler, téléphoner
télécharger, téléchargement
fichier, document
erreur, bug, panne, problème, dysfonctionnement
assistance, support, service client, service clientèle
contacter, joindre, prendre contact
délai, échéance, date limite
par an, annuel, chaque année, annuellement
par mois, mensuel, chaque mois, mensuellement
limite, plafond, maximum, quota
`,
  'compound-parts': '',
};

export const frTalk = {
  'small-talk': `
// What people say to an assistant when they ask the documents nothing: words in order, 'a/b' one of several, '?' after what may be missing.
// No word that a question about a product could be made of.
beside: et, mais, alors, donc, aussi, encore, très, vraiment, monsieur, madame, à tous/toutes, tout le monde, les amis, pour tout/ça, pour laide/linfo/lexplication, pour votre/ton/ta/vos/la/cette aide/réponse/retour/explication/temps, stp, svp, sil vous/te plaît
greeting: bonjour, bonsoir, salut, coucou, allô, bjr, slt, rebonjour, bienvenue, bonne journée/soirée/année, comment ça? va aujourdhui?, comment vas tu, comment vastu, comment allezvous, comment allez vous, ça va bien?, tu vas bien, vous allez bien, quoi de neuf, enchanté, enchantée, et toi/vous, moi aussi
thanks: merci beaucoup/bcp/bien/infiniment/encore/davance?, merci à vous/toi/tous, mille/grand mercis/merci, un grand merci, je vous/te remercie beaucoup?, cest très/vraiment/trop/tout/parfait/bon/clair/super/noté/compris/bien gentil/bien/bon/clair/utile?, génial, parfait, excellent, formidable, magnifique, chouette, nickel, impeccable, cool, merveilleux, fantastique, bien, très/vraiment bien/bon/utile/gentil/clair, bon travail/boulot, bonne réponse/idée, bien joué/vu, félicitations, ça maide/marche beaucoup/bien?, ça ma beaucoup/bien? aidé, oui, ouais, non, daccord, dac, entendu, compris, exact, exactement, certainement, volontiers, noté, voilà, mdr, ah bon/oui/daccord, bien sûr/reçu/compris/entendu, pas de problème/souci, pas grave, aucun problème/souci, de rien, je vous/ten en? prie, avec plaisir, je vois/comprends, jai bien/tout? compris, désolé, désolée, pardon, excusezmoi, excusemoi, tant pis/mieux, un/une instant/moment/minute/seconde
bye: au revoir, à bientôt/demain/plus, à plus tard, à tout à lheure, à la prochaine, adieu, bonne nuit/continuation/chance, bonne fin de journée/soirée/semaine, bon weekend, bon week end, cest tout pour aujourdhui?
help: aide, aidezmoi, aidemoi, aidez moi, aide moi, à laide, au secours, qui es/êtes tu/vous, qui estu, qui êtesvous, tu es/tes qui, vous êtes qui, quel est ton/votre nom, comment tu tappelles, comment vous vous appelez, comment tappellestu, comment vous appelezvous, estu/êtesvous un/une vrai/vraie? robot/bot/humain/ia/machine/personne/chatbot, tu/vous es/êtes un/une vrai/vraie? robot/bot/humain/ia/machine/personne/chatbot, que peux/pouvez/sais/savez tu/vous faire pour? moi/nous?, que peuxtu/pouvezvous/saistu/savezvous faire pour? moi/nous?, questce que tu/vous peux/pouvez/sais/savez faire pour? moi/nous?, comment peuxtu/pouvezvous maider/nous aider?, peux/pouvez/pourrais/pourriez tu/vous maider/nous aider?, peuxtu/pouvezvous/pourraistu/pourriezvous maider/nous aider?, tu/vous peux/pouvez maider, jai besoin daide, jai/jaurais une petite? question, une petite? question, puisje vous/te? poser une question, je peux vous/te? poser une question, quels sujets connaistu/connaissezvous, il y a quelquun, présentetoi, présentezvous
`,
  'person-request': `
// See the English list.
beside: maintenant, tout de suite, immédiatement, directement, plutôt, svp, sil vous/te plaît, en direct, par téléphone, au téléphone, en personne, pas à/avec? un/une robot/bot/machine/chatbot, et pas/non à/avec? un/une robot/bot/machine/chatbot, au lieu dun robot/bot, du/de votre? support/service client/équipe, de chez vous
want: je veux/voudrais/souhaite/souhaiterais/dois/préfère/préférerais/demande/cherche à?, jaimerais bien?, jai besoin de?, puis je, pourrais je, je peux, je pourrais, est ce que je peux/pourrais, on peut, est il possible de, pouvez/pourriez vous me?, peux/pourrais tu me?, laissez moi, donnez moi, nous voulons/voudrions/souhaitons
contact: parler, discuter, échanger, dialoguer, communiquer, chatter, être mis/mise en relation/contact, mettre/mettez/mets moi? en relation/contact, me mettre en relation/contact, passez/passe/passer moi?, transférez/transfère/transférer moi?, contacter, joindre, avoir, être transféré/transférée/redirigé
near: à, avec, vers, au, un, une, le, la, votre, du, de, des, vrai, vraie, vraies, véritable, véritables, autre, réel, dun, dune
person: humain, humaine, être humain, personne/personnes/humain/conseiller/agent/interlocuteur réel/réelle/réelles/humain/humaine/physique?, conseillère, opérateur, opératrice, employé, employée, collaborateur, responsable, interlocutrice, quelquun, quelquun de/dautre réel/humain/vrai?, service client/clients/clientèle, humains
whole: un? humain/conseiller/opérateur sil vous/te plaît, un? humain/conseiller/opérateur svp, une? vraie personne, un vrai humain, rappelez moi sil? vous? plaît?, quelquun peut il me rappeler, pouvez vous me rappeler
about: au sujet, à propos, concernant, pour, parce, car, qui peut/pourra/pourrait/saura
`,
  suggestions: `
// See the English list.
topic: Que savoir sur « {} » ?; steps: Comment {} ?; mine: votre=mon, vos=mes
asking: comment, pourquoi, combien, quand, où, qu'est-ce, qu’est-ce, quel est, quelle est, quels sont, quelles sont, que faire, puis-je, est-ce, qui peut, que se passe
verbs: régler, déclarer, enregistrer, recevoir, activer, ajouter, annuler, changer, choisir, commander, configurer, contacter, créer, désactiver, demander, envoyer, exporter, gérer, importer, imprimer, installer, inviter, modifier, obtenir, ouvrir, partager, payer, planifier, protéger, renouveler, renvoyer, réinitialiser, résilier, restaurer, retourner, sauvegarder, signaler, supprimer, télécharger, transférer, utiliser, vérifier
generic: aperçu, présentation, introduction, sommaire, table des matières, résumé, conclusion, contexte, annexe, annexes, références, voir aussi, notes, remarque, remarques, exemples, exemple, faq, foire aux questions, questions fréquentes, premiers pas, démarrage rapide, prochaines étapes, généralités, divers, détails, contact, contactez-nous, mentions légales, liens, glossaire, définitions, objet, prérequis, installation, configuration, utilisation, options, paramètres, licence, accueil, description, fonctionnalités, liens externes, notes et références
clause: comment, pourquoi, combien, quand, où, que, quoi, qui, quel, quelle, je, nous, notre, nos, mon, ma, mes, tu, ton, ta, tes, vous, il, elle, ils, elles, ce, cette, ces, est, sont, était, sera, peut, peuvent, doit, doivent, ne, pas, si, ici, étape, partie, chapitre, section, figure, tableau, phase, leçon, version, conseil, conseils, exemple, m, mme, mlle, dr, cher, chère, bonjour, nouveau, interne, confidentiel, brouillon
pointing: il, elle, ils, elles, cela, ça, ceci, ce, cette, ces, ici, nous, y
`,
};
