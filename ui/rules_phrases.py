"""Phrases of the rules that the window translates.

`ui.rules_text` looks them up, and `tools.extract_strings` collects them for the translators.
A field in braces holds any text. One whose name begins with `number` holds a number, and one whose name begins with
`thing` another phrase of this list, such as a weapon. Capitals at the beginning do not matter.
"""

COLOURS = ("green", "tan", "grey", "blue", "red", "yellow", "brown")
"""Armies named after these colours are shown in the language of the window, and stored in English."""

PHRASES = tuple(
    line
    for line in """
# Units and weapons of Army Men
infantry
Rifleman
Officer
Spotter
Radio man
Knife fighter
Sniper
Submachine gunner
Assault rifleman
Light machine gunner
Heavy machine gun team
Grenade thrower
Light mortar man
Heavy mortar team
Flame-thrower man
Bazooka team
Engineer
Medic
Mine sweeper
Hero
Paratrooper
Tank
Heavy tank
Half-track
half track
Jeep
Truck
Train
Cannon
Light cannon
Howitzer
Plane
Helicopter
Missile launcher
Laser
Glue cannon
Pillbox
knife
pistol
rifle
sniper rifle
submachine gun
assault rifle
light machine gun
lmg
heavy machine gun
hmg
grenade
light mortar
heavy mortar
flame thrower
bazooka
tank gun
missile
land mine
bomb
# Actions and obligations of Army Men
Who moves first
Draw the armies
Declare victory of {side}
Move
Move together
{thing_weapon} at {target}
{thing_weapon} at
{thing_weapon} at {target} in return
{thing_weapon} at {target} on its way
{thing_weapon} at the spot {place}
{thing_weapon} through the port of {target}
Take off {figures}
Take off {figures}; {figure} is the first to stay
Treat {figure}
Mines under {figure}
The men inside {figure}
{figure} swims
Land by parachute
Land
Dig in
Climb {terrain}
Get out of {figure}
Get into {figure}
{figure} runs over {target}
Clear the {thing_weapon}
Turn the turret to {target}
Sweep {terrain}
Hitch up {figure}
fire
# Outcomes and statuses of Army Men
legal
hit
hits
miss
misses
missed
not yet
removed
fixed
jammed
run over
turned
destroyed
hits {number} of {number_all}
victory
won
no effect
kills
injures
immobilized
stunned
killed
injured
no effect on {target}
kills {target}
misses {target}
fired
down
eliminated
moved
wounded
entrenched
busy
glued
inside
{figures} moved {number} in
{figure} eliminated
{figure} down
{figure} wounded
{figure} joins {side}
{figure} placed at {place}
the battle of {side} against {other} begins
asked: {question}
settled: {question}
overruled {action}: {outcome}
note: {words}
Skipped: {words}
the camera was bumped
the table was bumped
marker {number} was moved
on the table: {terrain}
the side was warned
# Goals
wins when
is to
every enemy is destroyed
the flag is taken
the safe area is reached
vehicles and cargo arrived
the prisoners are free
the enemy leader is taken
the secret weapon is destroyed
no enemy is left
the bridge was held for the turns agreed
the escorted man has crossed the board
the agreed task is done
turns
eliminate all
take or hold a place
eliminate a number
lose fewer
leave by the far edge
figures
{side}: {thing_goal}
# Why Army Men forbids something
not started yet: begin the first turn
units move in the phase of movement only
A figure never attacks more than once a turn
the {thing_weapon} fires in the phase of {thing_phase}
movement
automatic weapons
small arms
heavy weapons
At the end of a phase, casualties are removed; some become wounded men or dropped weapons, up to the agreed number
some become wounded men or dropped weapons, up to the agreed number
At the end of a phase, casualties are removed
A stationary weapon does not attack in the turn in which it moves
Hard targets are not eliminated by a hit and are immune to most weapons
the target is out of sight
the target is out of sight, and no friend with a radio sees it
Tanks, heavy guns and flame-throwers are out of ammunition on a {number}
another player moves now
it is glued to its place
A paratrooper does nothing else in the turn of his drop
A medic makes a wounded man healthy on a {number} with two dice
the {thing_unit} moves {number} in
carrying the {thing_weapon}
the target is {number} in away; the {thing_weapon} reaches {number_from} to {number_to} in
the target is {number} in away
the target is {number} to {number_to} in away
the {thing_weapon} reaches {number_from} to {number_to} in
the men inside get out before they walk
the men inside get out before they do anything else
figures inside cannot fire
there is no way through the {terrain}
wire
An automatic weapon jams on a {number}
A jam is cleared by {number} or less on the next turn
A figure that is destroyed in a phase may still fire in that phase, but in no later one
uphill: an inch costs {number}
An automatic weapon attacks as many separate targets as its rate of fire
Planes are attacked by machine guns and lasers only
Barbed wire stops infantry; engineers, tanks and guns destroy it
the tank turns
The target is out of range
# Reasons of Army Men
rolled {number}; {number_most} or less hits
the {thing_unit} is eliminated
the {thing_weapon} attacks at {number}
rolled {number}
{number} or less hits
beyond {number} ft
A natural {number} always eliminates its target
A natural {number} always misses
A heavy weapon's hit on a hard target is followed by one more die
from behind
the firer is a hero
in the leader's area
the gun's first attack on this location
binoculars beyond {number} ft
the target is entrenched
the target is behind cover
adjacent
from lower ground
the target flies
{number} or less survives
the target is inside a pillbox
the target is inside a half-track
Each player rolls a die: the highest moves first, then the next highest
A unit attacked by opportunity fire may return it
the firer
the attacker
the crew
the swimmer
the minefield
the gunner
the medic
the paratrooper
the climber
the flame-thrower
the attack with the {thing_weapon}
the blast of the {thing_weapon}
getting out alive
the effect on the {thing_unit}
the water
the attack on the {thing_unit}
clearing the jam
healing
the first move
the landing
the cliff
whether it explodes
the tie of {side} and {other}
# Actions and outcomes of Fudge Miniatures
{side} begins
The wounds of {figure}
{figure} checks Guts: new wound level
{figure} checks Guts again
{figure} checks Guts: terrifying charge
{figure} checks Guts: two wound levels at once
{figure} checks Guts: friend shoots into combat
{figure} checks Guts: {words}
{figure} strikes at {target}, who leaves
Run
Break off to run
Break away from {figure}
Break away from all
Charge {target}
{figure} clings to life
Loot {figure}
Wield {thing_weapon}
{figure} falls from the air
Run to safety
Stay, as no place is safe
Take up {thing}
Longsword
Spear
Shortbow
Sword of Smiting
Dagger
Sword
Club
Axe
Pike
Throwing axe
Left pistol
Right pistol
Bow
Fire bolt
Great axe
Shield
Mace
scratch
hurt
very hurt
near death
dead
runs
no attack
none
fall helpless
cast
away
goes on
recovers
-1 on all rolls
passed
failed
free
struck
# Why Fudge Miniatures forbids something
move belongs to step {number} and {number_two} of the turn
{thing_weapon} is not in hand
Step {number}: each model does one kind of action
it is the turn of {side}
Failed by {number}: it may not attack
Melee needs base contact, unless the weapon says otherwise
A model Near Death falls and can do nothing
he never strikes a defenceless enemy
{number} in needed, {number_left} in left
{number} in of open: {number_cost} in
{number} in of rough: {number_cost} in
the free attack of {figure} comes first
A model may not shoot while an enemy touches its base, unless the weapon says otherwise
it comes to touch {figure}: the charge is declared and Guts are checked first
it leaves {figure}: it breaks away first, by its Dexterity
{figure} breaks off first: those at its base strike
{figure} checks Guts first
{figure} checks Guts again first
{number} targets; {number_most} may be attacked
the run must end farther from every enemy
melee belongs to step {number} of the turn
shoot belongs to step {number} of the turn
wield belongs to step {number} of the turn
loot dead belongs to step {number} of the turn
{number} of the target is seen; {number_need} is needed
{thing_weapon} has attacked in this turn
it reaches {number} in
{figure} must run first
it lies {number} in off
he runs {number} to {number_to} in, not {number_not}
# Reasons of Fudge Miniatures
A player acts with his whole force, then the next player clockwise; the scenario says who begins, or else the player who brought the pizza
against DDF {number}
against DDF {number}: {number_least} or more hits
the melee weapon (MODF)
the ranged weapon (RODF)
the dice show {number}
Step {number}: the damage of step {number_two} is applied, so that every attack is judged before any wound
Melee: four dice plus MODF; reaching the DDF hits, and the target rolls nothing
Ranged attack: four dice plus RODF, once for each ranged weapon; reaching the DDF hits
its Guts
its Dexterity
hands needed: {number} of {number_all}
A model moves up to its Movement in inches; a die beside it shows what is left
Step {number}: a model uses the rest of its move from step {number_one}, up to its Movement as it is now
Where more than one model attacks an enemy, each attack has {number}
A model makes one melee attack for each melee weapon that it wields
On four natural pluses, the four dice are rolled again, and only their pluses are added
{number} against {number_two}
{number} against {number_two}: a wound of {number_wound}, {thing_wound}
a wound of {number} is {thing}; the model is {thing_now}
a wound of {number} is {thing}
the model is {thing}
{number} in with a Range of {number_range} in
The target is behind cover: {number}
attacking from behind
A wound marks a box of its column, or of the next free column to the right
set the model on its feet
lay the model face down
lay the model face up
Failed by {number}: {number_rolls} to its rolls, not to its stats
Failed by {number}: it runs at least half its Movement to safety at once, and every enemy touching it strikes at {number_at}
Failed by {number} or more: it falls down terrified, does nothing until it passes the check, and enemies treat it as helpless
the attack on the normal target
the attack on the normal target, again after four pluses
the attack on the helpless target
the attack on the fall helpless target
the attack on the surprised target
its Dexterity test
its Guts check
its Guts check, again after four pluses
its Guts roll
pulling itself together
the leaver
the model Near Death
the flyer
its crash
# Reasons of Plastic Fudge
the Attack Level
the Defense Level
the Training Level
Training {thing_level}
Movement Level {thing_level}: {number} in
Superb
Great
Good
Fair
Mediocre
Poor
Terrible
attack {number} against defence {number_other}: {thing_result}
mortar
flamethrower
jet fighter
bfg
50 cal
KIL
INJ
NE
--
one level less: {thing_result}
An injury: the Defense Level drops by one
A killing shot: the unit is destroyed and laid down
No effect, a scratch
No damage
{number} injures
{number} injures, {number_most} kills
at a distance
bases in contact, hand to hand
in the air
Open ground changes nothing
Terrain slows a move by a percentage and changes the Defense of the units in it
A unit moves up to its Movement Level in the direction in which it points
A unit that fails its check turns around and moves its full Movement Level
A routed unit may check again every turn
A routed unit that reaches the edge is removed
Attacks are simultaneous: destroyed units still make theirs
attacks wait for their own phase, after all units have moved
it is not the time for his side to move
A unit makes one attack a turn
a turn of {number} degrees
{number} in of it are spent
{number}% of the move is lost
{number}% of the base is in the area
half of the own side is routed
half of the enemy is routed
half of the own side is destroyed
half of the enemy is destroyed
three quarters of the own side are destroyed
three quarters of the enemy are destroyed
the Commander is near
the Commander is destroyed or out of touch
A player whose Commander is destroyed has -2 on initiative
Each player rolls on the Commander's Training Level; the higher has the initiative
Tied initiative is rolled again
The winner chooses to be A or B; the loser takes the other seat
A flamethrower attacked with a Legendary roll explodes like a tank shell and destroys all in the radius
A jet needs a radio operator
A jet comes three turns after its call and acts when morale is done
A vehicle's Defense protects those inside; its Attack is its weapon
A helicopter may bring troops in or take them out
A mortar cannot act without a spotter with binoculars
A bazooka is for armour and lays no disk
Stepping onto higher ground costs one extra inch
Height is counted in range increments
Attacked from below: +1 Defense
Attacking a unit below: +1
the target is {number} in away; the {thing_weapon} reaches {number_most} in
he flees until he passes a morale check
he fails again and runs on
he is inside a vehicle: let him get out first
the target is not in sight
it comes in turn {number}
nobody has called it
# Refusals of all games
{what} comes first: do it, or waive it by name
{figure} cannot do this now
{figure} cannot do this now: {why}
this cannot be done now
this cannot be done now: {why}
{figure} is out of the battle
{figure} is not on the table
{target} is no enemy of {figure}
{figure} is destroyed
{figure} is hurt
{figure} is worn down
he is in {target}: fire at that
nothing happens
Water is impassable
Mountains are impassable
Buildings are impassable
# Simple Plastic
Attack on {target}
Attacks on {target}
All his attacks on {target}
Attack with the squad: {targets}
Move the squad {squad}
Declare victory
the ordinary
the soldier
the heavy weapon
the sniper
{who} rolls {number} and kills {target}
{who} rolls {number} and misses {target}
{who} has no target left
{number} or more kills
the attacker did not move
the attacker is a special unit
the target is a special unit
the target is uphill
the target is downhill
The closest target is killed first, then the next closest
Distance neither forbids an attack nor changes it
moved {number} in of {number_most}
ordinary
heavy weapon
The frontmost man of a squad is measured; the others are placed behind him, however far they run
The men of a moving squad stay within a finger of each other, half an inch
A unit without a squad moves by itself, as far as any other
A sniper that attacks is special and has not moved, so both bonuses always apply
A sniper who has moved cannot attack
A sniper attacks twice a turn, at one target or at two
units move in the moving phase
units attack in the attacking phase
the rest are placed behind the man who leads
it would take {number}: the target is too well protected
The attacker must see the target: a small part is enough; a wholly hidden target may not be attacked
Attack with the squad
# Reasons of Simple Plastic Figure Rules
{number} in away
{number} in away; the {thing_weapon} reaches {number_most} in
the target is standing
the target is kneeling
the target is prone
plain fire
automatic fire
explosives fire
sniper fire
led
its fire is directed
cover: cover
cover: concealment
cover: none
rolled {number}, with {number_more} that is {number_sum}
rolled {number}: it may move or fire
rolled {number}: it may only fire
rolled {number}: it may do nothing
rolled {number}; {number_least} or more hits
{number} or more
{number} or more eliminates
Effects of fire are immediate
Every infantry figure moves up to 6 inches in any direction, whatever its pose
An explosive is aimed at a spot, and every figure in its blast radius is a target, friends too
Direct fire needs a target that shows a quarter of itself to the firer
A figure behind cover fires only if a quarter of itself is exposed
A figure moves or fires in a turn, never both
All modifiers apply together, even where they make it certain or impossible
A leader may lead instead of firing: figures within 6 inches get +1 inch or +1 on their fire, or roll a failed status check again
Every figure rolls before it acts: 1 to 4 it may do anything, 5 it may only fire, 6 it does nothing
in touch with {target}
on the spot
{number}% of the target is exposed
{number} against {number_other}: the attacker wins
{number} against {number_other}: {target} wins
{number} each: rolled again
a tie is rolled again
the attacker has a bayonet
the defender has a bayonet
it is the half of {side}
its status check comes first
its status check forbids moving
its status check forbids acting
{figure} must fight first
once a turn
one shot a turn
the {thing_weapon} fires {number} a turn
{number} in left
{number} in right
{number} in toward self
{number} in toward opponent
Hand-to-hand
a shell is still to come down
Hand-to-hand combat is part of a move, and needs touching bases or an enemy-held building
German rifle
American rifle
British rifle
Russian rifle
German submachine gun
American submachine gun
British submachine gun
Russian submachine gun
50 or 60 mm mortar
81 mm mortar
carbine
BAR
DP
medium machine gun
Panzerfaust
120 mm mortar
75 mm gun
105 mm gun
MG34 or MG42
BREN
PIAT
Panzerschreck
Each unit rolls one die
the to-kill number, {number}, or more kills one target
The frontmost man of a squad is measured
the others are placed behind him, however far they run
A heavy weapons unit serves in a squad or alone, is special and attacks with four dice
In the attacking phase units may attack enemy squads and units
A modifier applies only to the attacking man: a heavy weapon's bonus does not help the other men of the squad
The attacker must see the target: a small part is enough
a wholly hidden target may not be attacked
no target is seen and killed by a {number}
the whole squad attacks one target
the objective that was agreed is reached
Does anything hide a part of the target from the attacker?
How many of his dice does he roll at this target?
# Other units and actions
Soldier
Heavy machine gunner
Bazooka man
Mortar man
Commander
Radioman
Basic Trooper
Sniper, prone
Sniper, kneeling
Minesweeper
Mortar Trooper
Bazooka Trooper
Flamethrower Trooper
Initiative
Who begins
Who goes first
Status check
Status checks of {side}
Are both sides ready
Apply the hits
Flee
Lead
Attack
Attack at {target}
Morale of {figure}
# Why other games forbid a move
the men of the squad are not within half an inch of each other: close the gaps
a change of facing costs movement: say which way he faces
figures act after their status checks
now each side rolls
the higher roll chooses who goes first
now the first side checks its figures
now the second side checks its figures
# The story
Turn {turn}
{side} moves
{side} acts
{side} attacks
{side} deals damage
{side} moves on
{side} checks status
{faces} rolled for {who}: {why}
{figure} is placed at {place}
{figure} moves {number} in to {place}
{figure} moves {number} in over {terrain} to {place}
{figure} moves {number} in to {place}, which costs {number_cost} in
Order: {sides}
Army of {side}
The players decide: {question}
Destroy {terrain}
Unhitch {figure}
{figure} must run
{figure} entrenched
pinned
routed
# Questions to the players
whether {figure} sees {target}
whether {figure} sees the spot
whether {figure} touches {target}
how far {figure} went
how far {figure} ran
hidden
seen
less
more
nearer
farther
within
outside
""".splitlines()  # noqa: E501
    if line and not line.startswith("#")
)
