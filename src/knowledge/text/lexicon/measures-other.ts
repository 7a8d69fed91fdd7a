/** Units, days and months in French, Spanish, Italian, Portuguese and Dutch; what a line holds and refuses is said in `measures.ts`. */
export const otherMeasureWords = {
  fr: `
s: secondes
minute: minute minutes
hour: heure heures
day: jour jours journee journees quotidien quotidienne
week: semaine semaines hebdomadaire
month: mois mensuel mensuelle mensuels mensuelles mensuellement
quarter: trimestre trimestres trimestriel
year: an ans annee annees annuel annuelle annuels annuelles
business: ouvre ouvres ouvrable ouvrables
calendar: calendaire calendaires
weekend: week-end weekend
%: pour-cent
$: dollar dollars
€: euro euros
kb: ko
mb: mo
gb: go
tb: to
thousand: mille
million: million millions
billion: milliard milliards
monday: lundi lundis
tuesday: mardi mardis
wednesday: mercredi mercredis
thursday: jeudi jeudis
friday: vendredi vendredis
saturday: samedi samedis
sunday: dimanche dimanches
january: janvier
february: fevrier
march: mars
april: avril
may: mai
june: juin
july: juillet
august: aout
september: septembre
october: octobre
november: novembre
december: decembre`,
  es: `
s: segundos
minute: minuto minutos
hour: hora horas
day: dia dias diario diaria
week: semana semanas semanal
month: mes meses mensual mensuales
quarter: trimestre trimestres trimestral
year: ano anos anual anuales
business: habil habiles laborable laborables
calendar: natural naturales
%: porciento
$: dolar dolares
€: euro euros
thousand: mil
million: millon millones
monday: lunes
tuesday: martes
wednesday: miercoles
thursday: jueves
friday: viernes
saturday: sabado sabados
sunday: domingo domingos
january: enero
february: febrero
march: marzo
april: abril
may: mayo
june: junio
july: julio
august: agosto
september: septiembre
october: octubre
november: noviembre
december: diciembre`,
  it: `
s: secondi
minute: minuto minuti
hour: ora ore
day: giorno giorni giornaliero
week: settimana settimane settimanale
month: mese mesi mensile mensili
year: anno anni annuale annuali
business: lavorativo lavorativi feriali
€: euro
$: dollaro dollari
monday: lunedi
tuesday: martedi
wednesday: mercoledi
thursday: giovedi
friday: venerdi
saturday: sabato
sunday: domenica`,
  nl: `
s: seconde seconden
minute: minuut minuten
hour: uur uren
day: dag dagen dagelijks
week: week weken wekelijks
month: maand maanden maandelijks
year: jaar jaren jaarlijks
business: werkdag werkdagen
€: euro
$: dollar
monday: maandag
tuesday: dinsdag
wednesday: woensdag
thursday: donderdag
friday: vrijdag
saturday: zaterdag
sunday: zondag`,
  pt: `
s: segundos
minute: minuto minutos
hour: hora horas
day: dia dias diario
week: semana semanas semanal
month: mes meses mensal mensais
year: ano anos anual anuais
business: util uteis
€: euro euros
$: dolar dolares
saturday: sabado
sunday: domingo`,
} as const;
